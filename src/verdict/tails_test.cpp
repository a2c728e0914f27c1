// SPDX-License-Identifier: Apache-2.0
#include "verdict/tails.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/random.hpp"

namespace assay::verdict {
namespace {

std::vector<double> with_slow(int slow) {
  std::vector<double> values(6, 1.0);
  for (int i = 0; i < slow; ++i) values[static_cast<std::size_t>(i)] = 1.5;
  return values;
}

TEST(Tails, NothingBelowEightSlowRuns) {
  TailCount tails;
  EXPECT_FALSE(tails.z());
  for (int block = 0; block < 3; ++block) tails.add_block(with_slow(0), with_slow(2));
  EXPECT_FALSE(tails.z());  // 6 slow ones
  tails.add_block(with_slow(0), with_slow(2));
  // 8 slow runs, all of B: sum of (2 - 1) over the root of 4 * 2 * 10 / 44.
  ASSERT_TRUE(tails.z());
  EXPECT_NEAR(*tails.z(), 4 / std::sqrt(80.0 / 44), 1e-12);
}

TEST(Tails, EqualTailsCancelAndSidesTurn) {
  TailCount equal, more_a, more_b;
  for (int block = 0; block < 6; ++block) {
    equal.add_block(with_slow(1), with_slow(1));
    more_a.add_block(with_slow(2), with_slow(1));
    more_b.add_block(with_slow(1), with_slow(2));
  }
  EXPECT_EQ(equal.z(), 0);
  EXPECT_EQ(*more_a.z(), -*more_b.z());
  EXPECT_GT(*more_b.z(), 0);
}

TEST(Tails, ASlowRunIsBeyondOnePointTwo) {
  TailCount at, beyond;
  std::vector<double> a(6, 1.0), exactly(6, 1.0), above(6, 1.0);
  for (std::size_t i = 0; i < 2; ++i) exactly[i] = 1.2, above[i] = 1.2001;
  for (int block = 0; block < 4; ++block) {
    at.add_block(a, exactly);
    beyond.add_block(a, above);
  }
  EXPECT_FALSE(at.z());
  EXPECT_TRUE(beyond.z());
}

TEST(Tails, AlarmIsRareWhenLabelsAreRandom) {
  Random random(301);
  int alarms = 0;
  constexpr int kReps = 4000;
  for (int r = 0; r < kReps; ++r) {
    TailCount tails;
    for (int block = 0; block < 12; ++block) {
      std::vector<double> a, b;
      for (auto* side : {&a, &b})
        for (int i = 0; i < 6; ++i) side->push_back(random.uniform() < 0.2 ? 2.0 : 1.0);
      tails.add_block(a, b);
    }
    alarms += std::fabs(tails.z().value_or(0)) >= kTailAlarm;
  }
  EXPECT_LE(alarms, kReps * 0.001 + 4 * std::sqrt(kReps * 0.001) + 1);
}

}  // namespace
}  // namespace assay::verdict
