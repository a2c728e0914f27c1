// SPDX-License-Identifier: Apache-2.0
#include "prover/bench/critical_path.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace prover::bench {
namespace {

TimePoint at(int ms) { return TimePoint() + std::chrono::milliseconds(ms); }

// Synthesis, start, finish: their ends and the begins of the first two.
PartitionTimes times(int synth_start, int synth_end, int start, int start_end, int finish_end) {
  PartitionTimes one;
  one.synth_start = at(synth_start);
  one.synth_end = one.sent = at(synth_end);
  one.prove_start = at(start);
  one.start_end = at(start_end);
  one.finish_end = at(finish_end);
  return one;
}

JobOutcome job(std::vector<PartitionTimes> all, int done) {
  JobOutcome outcome;
  outcome.proof = Proof{JobId{1}, static_cast<std::uint32_t>(all.size()), {}};
  outcome.times = std::move(all);
  outcome.submitted = at(100);
  outcome.done = at(done);
  return outcome;
}

TEST(CriticalPath, OfOnePartitionIsAllOfIt) {
  const auto parts = critical_path(job({times(105, 125, 127, 177, 187)}, 190));
  const double expected[] = {5, 20, 50, 10, 2, 3};
  ASSERT_EQ(parts.size(), std::size(expected));
  for (std::size_t i = 0; i < parts.size(); ++i)
    EXPECT_EQ(parts[i].ms, expected[i]) << parts[i].name;
}

// Two workers synthesise at once, and the device is the bottleneck: the path is one synthesis and
// three starts, and the last finish.
TEST(CriticalPath, FollowsTheBottleneck) {
  const auto parts =
      critical_path(job({times(100, 120, 121, 171, 181), times(100, 122, 171, 221, 231),
                         times(120, 142, 223, 273, 283)},
                        284));
  const PathPart expected[] = {{"admission", 0, 0}, {"synth", 1, 20},    {"start", 3, 150},
                               {"finish", 1, 10},   {"hand_over", 2, 3}, {"check", 1, 1}};
  ASSERT_EQ(parts.size(), std::size(expected));
  for (std::size_t i = 0; i < parts.size(); ++i) {
    EXPECT_EQ(parts[i].name, expected[i].name);
    EXPECT_EQ(parts[i].n, expected[i].n) << parts[i].name;
    EXPECT_EQ(parts[i].ms, expected[i].ms) << parts[i].name;
  }
}

// One worker whose syntheses are slow: the device waits for each.
TEST(CriticalPath, FollowsTheSynthesisWhereItIsSlow) {
  const auto parts =
      critical_path(job({times(100, 150, 150, 160, 162), times(150, 200, 200, 210, 212)}, 212));
  EXPECT_EQ(parts[1].ms, 100);
  EXPECT_EQ(parts[2].ms, 10);
  EXPECT_EQ(parts[3].ms, 2);
}

TEST(CriticalPath, PartsSumToTheLatency) {
  std::uint32_t state = 7;
  const auto next = [&](int most) {
    state = state * 1664525u + 1013904223u;
    return static_cast<int>((state >> 16) % static_cast<unsigned>(most + 1));
  };
  for (int round = 0; round < 200; ++round) {
    std::vector<PartitionTimes> all;
    int device = 100, last = 100;
    for (int i = 0; i < 6; ++i) {
      const int begin = 100 + next(20), end = begin + next(30);
      const int start = std::max(device, end) + next(3), start_end = start + next(40);
      device = start_end;
      all.push_back(times(begin, end, start, start_end, start_end + next(10)));
      last = std::max(last, start_end + 10);
    }
    const JobOutcome outcome = job(all, last + next(5));
    const auto parts = critical_path(outcome);
    const double sum =
        std::accumulate(parts.begin(), parts.end(), 0.0,
                        [](double total, const PathPart& part) { return total + part.ms; });
    EXPECT_DOUBLE_EQ(sum, milliseconds(outcome.submitted, outcome.done)) << round;
    for (const PathPart& part : parts) EXPECT_GE(part.ms, 0) << part.name;
  }
}

TEST(CriticalPath, OfAFailedJobIsNone) {
  JobOutcome outcome = job({times(100, 110, 110, 120, 121)}, 130);
  outcome.proof.reset();
  EXPECT_TRUE(critical_path(outcome).empty());
}

}  // namespace
}  // namespace prover::bench
