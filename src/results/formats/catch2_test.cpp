// SPDX-License-Identifier: Apache-2.0
#include "results/test_support.hpp"

namespace assay::results {
namespace {

std::string catch_text(const std::string& inside) {
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
         "<Catch2TestRun name=\"b\" xml-format-version=\"2\" catch2-version=\"3.0.1\">\n" +
         inside + "</Catch2TestRun>\n";
}

constexpr const char* kCatchBenchmark =
    "<BenchmarkResults name=\"fib &lt;20&gt;\" samples=\"100\" iterations=\"3\">\n"
    "<mean value=\"50000\" lowerBound=\"1\" upperBound=\"2\" ci=\"0.95\"/>"
    "<standardDeviation value=\"700\"/></BenchmarkResults>\n";

TEST(Catch2, ABenchmarkIsASummary) {
  const auto file = read(catch_text("<TestCase name=\"Fibonacci\"><Section name=\"small\">" +
                                    std::string(kCatchBenchmark) + "</Section></TestCase>"),
                         "f");
  ASSERT_TRUE(file) << file.error().to_text();
  EXPECT_EQ(file->version, "3.0.1");
  const Series* series = find_series(*file, "Fibonacci/small/fib <20>");
  ASSERT_NE(series, nullptr);
  EXPECT_DOUBLE_EQ(*series->centre, 50e-6);
  EXPECT_DOUBLE_EQ(*series->spread, 0.7e-6);
  EXPECT_TRUE(series->processes.empty());
  EXPECT_TRUE(has_doubt(file->doubts, "summary-only"));
}

TEST(Catch2, FailuresAreNamedAndAnEndInTheMiddleIsSurvived) {
  const auto file =
      read(catch_text("<TestCase name=\"A\"><BenchmarkResults name=\"x\"><failed message=\"boom\"/>"
                      "</BenchmarkResults></TestCase><TestCase name=\"B\"><OverallResult "
                      "success=\"false\"/></TestCase>"),
           "f");
  ASSERT_TRUE(file) << file.error().to_text();
  EXPECT_EQ(find_series(*file, "A/x")->message, "boom");
  EXPECT_EQ(find_series(*file, "B")->state, State::failed);
  const std::string whole =
      catch_text("<TestCase name=\"A\">" + std::string(kCatchBenchmark) +
                 "<BenchmarkResults name=\"later\" samples=\"100\"></TestCase>");
  const auto cut = read(whole.substr(0, whole.find("</TestCase>")), "f");
  ASSERT_TRUE(cut) << cut.error().to_text();
  EXPECT_TRUE(has_doubt(cut->doubts, "truncated"));
  EXPECT_TRUE(find_series(*cut, "A/fib <20>")->centre);
  EXPECT_EQ(find_series(*cut, "A/later")->state, State::failed);
}

TEST(Catch2, AFileOfCatchItself) {
  const auto file = read(data_file("catch2.xml"), "catch2.xml");
  ASSERT_TRUE(file) << file.error().to_text();
  ASSERT_GE(file->series.size(), 2u);
  for (const Series& series : file->series) EXPECT_TRUE(series.centre) << series.id;
}

}  // namespace
}  // namespace assay::results
