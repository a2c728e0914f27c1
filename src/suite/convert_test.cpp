// SPDX-License-Identifier: Apache-2.0
#include "suite/convert.hpp"

#include <gtest/gtest.h>

namespace assay::suite {
namespace {

TEST(Convert, TakesTimesAndLeavesOtherMetrics) {
  results::File file;
  results::Process one;
  one.values = {2, 4};
  one.iterations = {10, 30};
  one.warmup_s = 0.5;
  file.series.push_back(
      {.id = "a",
       .processes = {one},
       .fields = {{"validators", 250000}, {"memory_before", 7}, {"setup_s", 3}, {"rounds", 12}}});
  file.series.push_back({.id = "a", .metric = "cpu", .processes = {one}});
  file.series.push_back({.id = "rate", .metric = "throughput", .unit = "1/s", .processes = {one}});
  file.series.push_back({.id = "own", .metric = "latency", .processes = {one}});
  file.series.push_back({.id = "bad", .state = results::State::failed, .message = "no such state"});
  file.series.push_back({.id = "off", .state = results::State::skipped});
  file.series.push_back({.id = "a", .centre = 9, .fields = {{"iterations", 50694}}});
  file.doubts.push_back({"sorted", "the order is lost"});
  file.doubts.push_back({"debug-build", "built slow"});
  const Reading reading = measurements_of(file);
  ASSERT_EQ(reading.measurements.size(), 5u);
  const Measurement& a = reading.measurements[0];
  EXPECT_EQ(a.id, "a");
  EXPECT_EQ(a.value, 3);
  EXPECT_EQ(a.samples, (std::vector<double>{2, 4}));
  EXPECT_EQ(a.iterations, 40);
  EXPECT_EQ(a.total_s, 140);
  EXPECT_EQ(a.warmup_s, 0.5);
  EXPECT_EQ(a.memory_before, 7);
  EXPECT_EQ(a.setup_s, 3);
  EXPECT_EQ(a.facts, (std::vector<Fact>{{"validators", 250000}}));
  EXPECT_EQ(reading.measurements[1].id, "own");
  EXPECT_EQ(reading.measurements[2].status, MeasurementStatus::failed);
  EXPECT_EQ(reading.measurements[2].message, "no such state");
  EXPECT_FALSE(reading.measurements[2].value);
  EXPECT_EQ(reading.measurements[3].status, MeasurementStatus::skipped);
  EXPECT_EQ(reading.measurements[4].id, "a#2");
  EXPECT_EQ(reading.measurements[4].value, 9);
  EXPECT_EQ(reading.measurements[4].iterations, 50694);
  EXPECT_TRUE(reading.measurements[4].facts.empty()) << "calibration is no workload";
  EXPECT_EQ(reading.doubts, (std::vector<std::string>{"the order is lost"}));
  EXPECT_EQ(reading.level_doubts, (std::vector<std::string>{"built slow"}));
}

TEST(Convert, OneRepetitionIsNoSample) {
  results::Process one;
  one.values = {2};
  one.iterations = {5};
  Measurement to;
  take_process(one, to);
  EXPECT_EQ(to.value, 2);
  EXPECT_TRUE(to.samples.empty());
  EXPECT_EQ(to.total_s, 10);
}

TEST(Convert, WhatCannotBeReadIsADoubt) {
  const Reading reading = read_results("no json", "gbench");
  EXPECT_TRUE(reading.measurements.empty());
  ASSERT_EQ(reading.doubts.size(), 1u);
  EXPECT_NE(reading.doubts[0].find("results"), std::string::npos) << reading.doubts[0];
}

}  // namespace
}  // namespace assay::suite
