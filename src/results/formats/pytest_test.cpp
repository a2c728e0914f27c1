// SPDX-License-Identifier: Apache-2.0
#include "results/test_support.hpp"

namespace assay::results {
namespace {

std::string pytest_text(const std::string& stats) {
  return R"({"machine_info": {"node": "n", "python_version": "3.11.7"}, "commit_info": {"id": "ab"},
"benchmarks": [{"group": null, "name": "test_a[10]", "fullname": "test_x.py::test_a[10]",
"params": {"size": 10}, "extra_info": {"validators": 5}, "stats": )" +
         stats + R"(}], "datetime": "2026-11-30T12:00:00.000000", "version": "4.0.0"})";
}

TEST(Pytest, RoundsAreValuesOfOneProcess) {
  const auto file = read(
      pytest_text(
          R"({"data": [0.2, 0.1, 0.3], "iterations": 4, "rounds": 3, "total": 0.6, "median": 0.2})"),
      "f");
  ASSERT_TRUE(file) << file.error().to_text();
  EXPECT_EQ(file->format, "pytest");
  EXPECT_EQ(file->version, "4.0.0");
  const Series* series = find_series(*file, "test_x.py::test_a[10]");
  ASSERT_NE(series, nullptr);
  ASSERT_EQ(series->processes.size(), 1u);
  EXPECT_EQ(series->processes[0].values, (std::vector<double>{0.2, 0.1, 0.3}));
  EXPECT_EQ(series->processes[0].iterations, (std::vector<double>{4, 4, 4}));
  EXPECT_EQ(series->processes[0].started_at_ms, 1'796'040'000'000);
  ASSERT_EQ(series->fields.size(), 2u);
  EXPECT_EQ(series->fields[1].name, "validators");
}

TEST(Pytest, ASavedFileIsASummary) {
  const auto file = read(
      pytest_text(R"({"median": 0.2, "mean": 0.25, "stddev": 0.01, "iterations": 4, "rounds": 3})"),
      "f");
  ASSERT_TRUE(file) << file.error().to_text();
  EXPECT_TRUE(file->series[0].processes.empty());
  EXPECT_EQ(file->series[0].centre, 0.2);
  EXPECT_EQ(file->series[0].centre_is, "median");
  EXPECT_TRUE(has_doubt(file->doubts, "summary-only"));
}

TEST(Pytest, WhatIsWrongIsNamed) {
  EXPECT_EQ(error_of(pytest_text("1")), "f: benchmarks[0].stats: not an object");
  EXPECT_EQ(error_of(pytest_text(R"({"data": [0.1, "x"]})")),
            "f: benchmarks[0].stats.data[1]: not a number");
  const auto empty = read(pytest_text("{}"), "f");
  ASSERT_TRUE(empty);
  EXPECT_EQ(empty->series[0].state, State::failed);
}

TEST(Pytest, AFileOfThePluginItself) {
  const auto file = read(data_file("pytest_benchmark.json"), "pytest_benchmark.json");
  ASSERT_TRUE(file) << file.error().to_text();
  ASSERT_FALSE(file->series.empty());
  for (const Series& series : file->series) {
    ASSERT_EQ(series.processes.size(), 1u) << series.id;
    EXPECT_GE(series.processes[0].values.size(), 5u) << series.id;
    EXPECT_TRUE(series.processes[0].started_at_ms) << series.id;
    EXPECT_FALSE(has_doubt(series.doubts, "sorted")) << series.id;
  }
}

}  // namespace
}  // namespace assay::results
