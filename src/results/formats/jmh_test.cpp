// SPDX-License-Identifier: Apache-2.0
#include "results/test_support.hpp"

namespace assay::results {
namespace {

std::string jmh_text(const std::string& primary, const char* more = "") {
  return R"([{"jmhVersion": "1.37", "benchmark": "org.X.run", "mode": "thrpt", "threads": 1,
    "forks": 2, "params": {"size": "10"}, "primaryMetric": )" +
         primary + more + "}]";
}

TEST(Jmh, ForksAreProcessesAndRatesAreBetterHigher) {
  const auto file = read(
      jmh_text(
          R"({"score": 2.5, "scoreError": "NaN", "scoreUnit": "ops/ms", "rawData": [[1, 2], [3, 4]]})",
          R"(, "secondaryMetrics": {"gc.alloc.rate.norm": {"score": 16, "scoreError": "NaN",
             "scoreUnit": "B/op", "rawData": [["NaN", 16], [16, 16]]}})"),
      "f");
  ASSERT_TRUE(file) << file.error().to_text();
  EXPECT_EQ(file->format, "jmh");
  EXPECT_EQ(file->version, "1.37");
  const Series* rate = find_series(*file, "org.X.run:size=10 (thrpt)", "throughput");
  ASSERT_NE(rate, nullptr);
  EXPECT_EQ(rate->better, Direction::higher);
  ASSERT_EQ(rate->processes.size(), 2u);
  EXPECT_EQ(rate->processes[1].values, (std::vector<double>{3000, 4000}));
  const Series* memory = find_series(*file, "org.X.run:size=10 (thrpt)", "gc.alloc.rate.norm");
  ASSERT_NE(memory, nullptr);
  EXPECT_EQ(memory->unit, "B");
  EXPECT_EQ(memory->processes[0].values, std::vector<double>{16});
  EXPECT_TRUE(has_doubt(memory->doubts, "not-finite"));
}

TEST(Jmh, StringsThatAreNoNumbersAreNone) {
  const auto file = read(
      jmh_text(
          R"({"score": "+INF", "scoreError": "NaN", "scoreUnit": "us/op", "rawData": [["NaN"]]})"),
      "f");
  ASSERT_TRUE(file) << file.error().to_text();
  EXPECT_EQ(file->series[0].state, State::failed);
  EXPECT_EQ(file->series[0].unit, "s");
}

TEST(Jmh, HistogramsAndSummaries) {
  const auto histogram = read(
      jmh_text(
          R"({"score": 2, "scoreUnit": "us/op", "rawDataHistogram": [[[[1, 3], [5, 1]], [[4, 2]]]]})"),
      "f");
  ASSERT_TRUE(histogram) << histogram.error().to_text();
  ASSERT_EQ(histogram->series[0].processes.size(), 1u);
  EXPECT_DOUBLE_EQ(histogram->series[0].processes[0].values[0], 2e-6);
  EXPECT_EQ(histogram->series[0].processes[0].iterations, (std::vector<double>{4, 2}));
  const auto summary =
      read(jmh_text(R"({"score": 2, "scoreError": 0.5, "scoreUnit": "us/op"})"), "f");
  ASSERT_TRUE(summary);
  EXPECT_DOUBLE_EQ(*summary->series[0].centre, 2e-6);
  EXPECT_TRUE(has_doubt(summary->series[0].doubts, "summary-only"));
  EXPECT_EQ(error_of(jmh_text("{}")), "f: [0].primaryMetric.scoreUnit: not text");
}

}  // namespace
}  // namespace assay::results
