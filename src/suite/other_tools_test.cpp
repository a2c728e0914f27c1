// SPDX-License-Identifier: Apache-2.0
// Catch2, go test and pytest-benchmark: command lines and listings. Their results are results/'s.
#include <gtest/gtest.h>

#include "suite/adapter.hpp"

namespace assay::suite {
namespace {

using Words = std::vector<std::string>;

struct ToolCase {
  const char* adapter;
  Words argv, listing;
  std::string listed;
  Words units, run;  // run: of the last unit, then the first
};

TEST(OtherTools, AreListedAndRun) {
  const std::vector<ToolCase> cases = {
      {"go",
       {"go", "test", "-bench=.", "-run", "x", "./sort", "-count=3"},
       {"go", "test", "./sort", "-count=3", "-list", "^Benchmark"},
       "BenchmarkA\nBenchmarkB\nok  \texample/sort\t0.003s\n?   \tother\t[no test files]\n",
       {"BenchmarkA", "BenchmarkB"},
       {"go", "test", "./sort", "-count=3", "-run", "^$", "-bench", "^(BenchmarkB|BenchmarkA)$",
        "-exec", R"(sh -c 'GODEBUG="$GODEBUG${GODEBUG:+,}gctrace=1" exec "$0" "$@"')"}},
      {"go",
       {"go", "test", "-exec=./runner"},
       {"go", "test", "-exec=./runner", "-list", "^Benchmark"},
       "BenchmarkA\n",
       {"BenchmarkA"},
       {"go", "test", "-exec=./runner", "-run", "^$", "-bench", "^(BenchmarkA)$"}},
      {"go",
       {"nice", "./sort.test", "-test.bench", ".", "-test.run=x", "-test.count=3"},
       {"nice", "./sort.test", "-test.count=3", "-test.list", "^Benchmark"},
       "BenchmarkA\n",
       {"BenchmarkA"},
       {"nice", "./sort.test", "-test.count=3", "-test.run", "^$", "-test.bench",
        "^(BenchmarkA)$"}},
      {"pytest",
       {"python3", "-m", "pytest", "bench/", "-x"},
       {"python3", "-m", "pytest", "bench/", "-x", "--collect-only", "-q"},
       "bench/a.py::test_1\nbench/a.py::test_2[8]\nbench/b.py::C::test\n\n3 tests collected\n",
       {"bench/a.py", "bench/b.py"},
       {"python3", "-m", "pytest", "-x", "--benchmark-only", "--benchmark-json=/r", "bench/b.py",
        "bench/a.py"}},
      {"catch2",
       {"./t", "--benchmark-samples", "20"},
       {"./t", "--benchmark-samples", "20", "--list-tests"},
       "All available test cases:\n  sorts, [all]\n      [tag]\n  a name that is long and\n    "
       "goes on\n2 "
       "test cases\n",
       {"sorts, [all]", "a name that is long and goes on"},
       {"./t", "--benchmark-samples", "20", "a name that is long and goes on,sorts\\, \\[all\\]",
        "--reporter", "xml", "--out", "/r"}}};
  for (const ToolCase& c : cases) {
    const auto adapter = make_adapter({.adapter = c.adapter});
    ASSERT_TRUE(adapter) << c.adapter;
    const Subject subject{.label = "s", .argv = c.argv};
    EXPECT_EQ((*adapter)->listings(subject)->front().argv, c.listing);
    const auto units = (*adapter)->read_listing(subject, Words{c.listed});
    ASSERT_TRUE(units) << c.adapter;
    Words names;
    std::vector<const SuiteUnit*> asked;
    for (const SuiteUnit& unit : *units) {
      names.push_back(unit.name);
      asked.insert(asked.begin(), &unit);
    }
    EXPECT_EQ(names, c.units);
    EXPECT_EQ((*adapter)->invocation(subject, asked, "/r")->argv, c.run);
    EXPECT_FALSE((*adapter)->read_listing(subject, Words{"nothing here\n"})) << c.adapter;
    EXPECT_FALSE((*adapter)->read({}).doubts.empty());
    const bool is_told = c.adapter == std::string("catch2") || c.argv.front() == "nice";
    EXPECT_EQ(guess_adapter(c.argv), is_told ? "gbench" : c.adapter);
  }
}

TEST(OtherTools, TestsWithoutBenchmarksMissNone) {
  struct Case {
    const char *adapter, *results;
  };
  for (const Case& c :
       {Case{"catch2",
             "<?xml version=\"1.0\"?><Catch2TestRun name=\"t\" xml-format-version=\"3\" "
             "catch2-version=\"3.4.0\"><TestCase name=\"plain\"><OverallResult success=\"true\"/>"
             "</TestCase></Catch2TestRun>"},
        Case{"pytest", R"({"machine_info": {}, "benchmarks": [], "version": "4.0.0"})"}}) {
    const auto adapter = make_adapter({.adapter = c.adapter});
    const Reading none = (*adapter)->read({.results = c.results});
    EXPECT_TRUE(none.may_be_none) << c.adapter;
    EXPECT_TRUE(none.doubts.empty()) << none.doubts.front();
    EXPECT_FALSE((*adapter)->read({.results = "half a"}).doubts.empty()) << c.adapter;
  }
}

// What began keeps its name: go test prints it in front of the numbers.
TEST(GoTest, ABenchmarkWhoseNumberIsCutHasFailed) {
  const auto adapter = make_go();
  const Reading reading = adapter->read({.out = "BenchmarkA-8 10 5 ns/op\nBenchmarkA/x-8 \t 10 41",
                                         .exit = {Ending::signalled, 9},
                                         .cut = true});
  ASSERT_EQ(reading.measurements.size(), 2u);
  EXPECT_EQ(reading.measurements[0].status, MeasurementStatus::ok);
  EXPECT_EQ(reading.measurements[1].status, MeasurementStatus::failed);
  EXPECT_FALSE(reading.measurements[1].value);
}

}  // namespace
}  // namespace assay::suite
