// SPDX-License-Identifier: Apache-2.0
#include "verdict/steps.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.hpp"

namespace assay::verdict {
namespace {

// 12 rounds of subjects with these changes against the first, and 1 % of noise.
std::vector<double> rounds_of(const std::vector<double>& changes, std::uint64_t seed,
                              std::size_t rounds = 12) {
  Random random(seed);
  std::vector<double> logs;
  for (std::size_t r = 0; r < rounds; ++r)
    for (const double change : changes) logs.push_back(std::log1p(change) + 0.01 * random.normal());
  return logs;
}

std::vector<std::size_t> places(const std::vector<StepChange>& steps) {
  std::vector<std::size_t> at;
  for (const StepChange& step : steps) at.push_back(step.at);
  return at;
}

TEST(Steps, AreFoundWhereTheyAre) {
  const struct {
    std::vector<double> changes;
    std::vector<std::size_t> at;
  } cases[] = {
      {{0, 0, 0, 0, 0, 0}, {}},
      {{0, 0, 0, 0.1, 0.1, 0.1}, {3}},
      {{0, 0.1, 0.1, 0.1, 0.1, 0.1}, {1}},
      {{0, 0, 0, 0, 0, -0.1}, {5}},
      {{0, 0, 0.1, 0, 0, 0}, {2, 3}},
      {{0, 0.1, 0.1, 0.2, 0.2, 0}, {1, 3, 5}},
      {{0, 0.1}, {1}},
      {{0}, {}},
      {{0, 0, 0, 0.01, 0.01, 0.01}, {}},  // real, and too small to matter
  };
  for (const auto& c : cases)
    for (std::uint64_t seed = 1; seed <= 5; ++seed)
      EXPECT_EQ(places(find_steps(rounds_of(c.changes, seed), c.changes.size())), c.at) << seed;
}

TEST(Steps, HaveASize) {
  const auto steps = find_steps(rounds_of({0, 0, 0, 0.1, 0.1, 0.1}, 1), 6);
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_NEAR(steps[0].effect.value, std::log(1.1), 0.01);
  EXPECT_LT(*steps[0].effect.lo, std::log(1.1));
  EXPECT_GT(*steps[0].effect.hi, std::log(1.1));
}

TEST(Steps, NeedTwelveRounds) {
  EXPECT_TRUE(find_steps(rounds_of({0, 0, 1, 1}, 1, 11), 4).empty());
  EXPECT_TRUE(find_steps({}, 4).empty());
}

TEST(Steps, AreRareWhereNothingChanges) {
  std::size_t wrong = 0;
  for (std::uint64_t seed = 1; seed <= 500; ++seed)
    wrong += find_steps(rounds_of(std::vector<double>(8, 0.0), seed), 8, 1e-6).empty() ? 0 : 1;
  EXPECT_LE(wrong, 15u);  // 1 %, and P(more) < 1e-4
}

TEST(Steps, TiesAreNoSteps) {
  EXPECT_TRUE(find_steps(std::vector<double>(12 * 5, 1.0), 5).empty());
}

}  // namespace
}  // namespace assay::verdict
