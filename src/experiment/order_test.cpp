// SPDX-License-Identifier: Apache-2.0
#include "experiment/order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace assay::experiment {
namespace {

TEST(Order, HoldsSixRunsOfEveryArm) {
  for (const auto& arms : {std::vector<std::uint32_t>{0, 1}, {0, 1, 2, 3}}) {
    const auto runs = shuffled_block(42, "id", 3, arms, kRunsPerArm);
    std::map<std::uint32_t, int> count;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      ++count[runs[i].arm];
      EXPECT_EQ(runs[i].slot, i);
      EXPECT_EQ(runs[i].block, 3u);
      EXPECT_LT(runs[i].pad, 4096u);
      EXPECT_FALSE(runs[i].warmup);
    }
    for (const std::uint32_t arm : arms) EXPECT_EQ(count[arm], 6);
  }
}

TEST(Order, DependsOnSeedIdAndBlockAlone) {
  const auto base = shuffled_block(1, "id", 1, {0, 1}, 6);
  EXPECT_EQ(base, shuffled_block(1, "id", 1, {0, 1}, 6));
  EXPECT_NE(base, shuffled_block(2, "id", 1, {0, 1}, 6));
  EXPECT_NE(base, shuffled_block(1, "other", 1, {0, 1}, 6));
  EXPECT_NE(base, shuffled_block(1, "id", 2, {0, 1}, 6));
}

// Every slot is A half of the time: 4,000 blocks, bounds of 5 sigma.
TEST(Order, IsUniform) {
  std::vector<int> first_arm(12);
  for (std::uint32_t block = 1; block <= 4000; ++block)
    for (const auto& run : shuffled_block(7, "x", block, {0, 1}, 6))
      first_arm[run.slot] += run.arm == 0;
  for (const int count : first_arm) EXPECT_NEAR(count, 2000, 158);
}

TEST(Order, WarmsUpEveryArmOnceInTurn) {
  const auto runs = warmup_runs(1, "x", {0, 1, 2});
  ASSERT_EQ(runs.size(), 3u);
  for (std::uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(runs[i].arm, i);
    EXPECT_TRUE(runs[i].warmup);
    EXPECT_EQ(runs[i].block, 0u);
  }
}

}  // namespace
}  // namespace assay::experiment
