// SPDX-License-Identifier: Apache-2.0
#include "results/test_support.hpp"

namespace assay::results {
namespace {

constexpr const char* kSample =
    R"({"sampling_mode": "Linear", "iters": [2.0, 4.0], "times": [200.0, 440.0]})";
constexpr const char* kEstimates =
    R"({"mean": {"point_estimate": 105.0}, "median": {"point_estimate": 104.0},
        "slope": null, "std_dev": {"point_estimate": 3.0}})";

TEST(Criterion, SamplesAreTimesOverIterations) {
  const auto file = read(kSample, "target/criterion/sort/merge/new/sample.json");
  ASSERT_TRUE(file) << file.error().to_text();
  EXPECT_EQ(file->format, "criterion");
  const Series* series = find_series(*file, "sort/merge");
  ASSERT_NE(series, nullptr);
  ASSERT_EQ(series->processes.size(), 1u);
  EXPECT_DOUBLE_EQ(series->processes[0].values[0], 100e-9);
  EXPECT_DOUBLE_EQ(series->processes[0].values[1], 110e-9);
  EXPECT_TRUE(has_doubt(file->doubts, "id-from-path"));
}

TEST(Criterion, EstimatesAloneAreASummary) {
  const auto file = read(kEstimates, "criterion/a/new/estimates.json");
  ASSERT_TRUE(file) << file.error().to_text();
  EXPECT_DOUBLE_EQ(*file->series[0].centre, 104e-9);
  EXPECT_TRUE(has_doubt(file->series[0].doubts, "summary-only"));
}

TEST(Criterion, AFolderAsOneText) {
  const auto file =
      read(std::string(R"({"criterion": [{"path": "sort/merge/new", "benchmark": {"full_id":
        "sort/merge/10", "value_str": "10"}, "estimates": )") +
               kEstimates + ", \"sample\": " + kSample + "}]}",
           "target/criterion");
  ASSERT_TRUE(file) << file.error().to_text();
  const Series* series = find_series(*file, "sort/merge/10");
  ASSERT_NE(series, nullptr);
  EXPECT_FALSE(series->centre);
  EXPECT_EQ(series->processes[0].values.size(), 2u);
  EXPECT_EQ(series->fields[0].value, 10);
}

TEST(Criterion, LinesOfCargoCriterion) {
  const auto file = read(
      R"({"reason": "benchmark-complete", "id": "a", "unit": "ns", "iteration_count": [1, 2], "measured_values": [50, 102]}
{"reason": "group-complete"}
{"reason": "benchmark-complete", "id": "b", "unit")",
      "f");
  ASSERT_TRUE(file) << file.error().to_text();
  ASSERT_EQ(file->series.size(), 1u);
  EXPECT_DOUBLE_EQ(file->series[0].processes[0].values[1], 51e-9);
  EXPECT_TRUE(has_doubt(file->doubts, "truncated"));
}

TEST(Criterion, WhatIsWrongIsNamed) {
  EXPECT_EQ(error_of(R"({"sampling_mode": "Flat", "iters": [1], "times": []})"),
            "f: .times: 0 times of 1 samples");
  EXPECT_EQ(error_of(R"({"sampling_mode": "Flat", "iters": [0], "times": [1]})"),
            "f: .times[0]: not a time and its count");
}

}  // namespace
}  // namespace assay::results
