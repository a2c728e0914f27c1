// SPDX-License-Identifier: Apache-2.0
#include "prover/bench/distribution.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace prover::bench {
namespace {

TEST(Distribution, OfNothingIsNothing) { EXPECT_FALSE(distribution_of({})); }

TEST(Distribution, HasObservedQuantiles) {
  std::vector<double> hundred;
  for (int i = 100; i >= 1; --i) hundred.push_back(i);
  const struct {
    std::vector<double> values;
    Distribution expected;
  } cases[] = {
      {{7}, {1, 7, 7, 7, 7, 7}},
      {{4, 1}, {2, 2.5, 2.5, 4, 4, 4}},
      {{1, 9, 2}, {3, 4, 2, 9, 9, 9}},
      {hundred, {100, 50.5, 50.5, 90, 99, 100}},
  };
  for (const auto& one : cases) {
    const auto found = distribution_of(one.values);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->n, one.expected.n);
    EXPECT_DOUBLE_EQ(found->mean, one.expected.mean);
    EXPECT_DOUBLE_EQ(found->median, one.expected.median);
    EXPECT_DOUBLE_EQ(found->p90, one.expected.p90);
    EXPECT_DOUBLE_EQ(found->p99, one.expected.p99);
    EXPECT_DOUBLE_EQ(found->max, one.expected.max);
  }
}

TEST(Samples, AreOfCheckedProofsAlone) {
  const TimePoint zero{};
  const auto at = [&](int ms) { return zero + std::chrono::milliseconds(ms); };
  PartitionTimes times;
  times.taken = at(1), times.permitted = at(3), times.reserved = at(3);
  times.synth_start = at(4), times.synth_end = at(14), times.sent = at(15);
  times.picked_up = at(18), times.prove_start = at(22), times.start_end = at(27);
  times.finish_end = at(33);
  BatchResult result;
  for (const int done : {40, 70, 130}) {
    JobOutcome outcome;
    outcome.proof = Proof{};
    outcome.submitted = zero;
    outcome.done = at(done);
    outcome.times = {times, times};
    result.outcomes.push_back(outcome);
  }
  result.outcomes[1].proof.reset();

  const struct {
    const char* name;
    std::vector<double> values;
  } expected[] = {
      {"permit_wait", {2, 2, 2, 2}},  {"budget_wait", {0, 0, 0, 0}}, {"synth", {10, 10, 10, 10}},
      {"blocked_send", {1, 1, 1, 1}}, {"queue_wait", {3, 3, 3, 3}},  {"device_wait", {4, 4, 4, 4}},
      {"start", {5, 5, 5, 5}},        {"finish", {6, 6, 6, 6}},      {"proof_latency", {40, 130}},
      {"inter_completion", {90}},
  };
  const auto samples = samples_of(result);
  ASSERT_EQ(samples.size(), std::size(expected));
  for (std::size_t i = 0; i < samples.size(); ++i) {
    EXPECT_EQ(samples[i].name, expected[i].name);
    EXPECT_EQ(samples[i].values, expected[i].values) << samples[i].name;
  }
}

}  // namespace
}  // namespace prover::bench
