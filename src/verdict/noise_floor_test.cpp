// SPDX-License-Identifier: Apache-2.0
#include "verdict/noise_floor.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.hpp"
#include "stats/sums.hpp"

namespace assay::verdict {
namespace {

std::vector<Calibration> comparisons(Random& random, std::size_t count, double sys_sigma) {
  std::vector<Calibration> result(count);
  for (auto& c : result) {
    const double offset = sys_sigma * random.normal();
    for (int i = 0; i < 36; ++i) {
      c.a.push_back(std::exp(0.005 * random.normal()));
      c.b.push_back(std::exp(offset + 0.005 * random.normal()));
    }
  }
  return result;
}

TEST(NoiseFloor, FindsTheSystematicPart) {
  Random random(601);
  std::vector<double> squares, none;
  for (int r = 0; r < 200; ++r) {
    const auto with = estimate_floor(comparisons(random, 6, 0.01));
    const auto without = estimate_floor(comparisons(random, 6, 0));
    ASSERT_TRUE(with && without);
    EXPECT_EQ(with->sys_k, 6);
    squares.push_back(with->sys_sigma * with->sys_sigma);
    none.push_back(without->sys_sigma);
  }
  EXPECT_NEAR(std::sqrt(*stats::mean(squares)), 0.01, 0.001);
  EXPECT_LT(*stats::mean(none), 0.0006);  // identical copies: about nothing
}

TEST(NoiseFloor, PairSigmaAndTheSmallestTolerance) {
  Random random(602);
  const auto floor = estimate_floor(comparisons(random, 9, 0));
  ASSERT_TRUE(floor);
  EXPECT_NEAR(floor->pair_sigma, 0.005 * std::sqrt(2.0), 0.0015);
  EXPECT_NEAR(floor->mdt_198, std::expm1(2.77619 * floor->pair_sigma / std::sqrt(198.0)), 1e-12);
}

TEST(NoiseFloor, Errors) {
  Random random(603);
  const auto good = comparisons(random, 5, 0);
  EXPECT_TRUE(estimate_floor(good));
  const auto four = estimate_floor(std::span(good).first(4));
  ASSERT_FALSE(four);
  EXPECT_EQ(four.error().what, "a noise floor needs 5 comparisons, not 4");
  auto few = good;
  few[2].b.resize(11);
  ASSERT_FALSE(estimate_floor(few));
  EXPECT_EQ(estimate_floor(few).error().to_text(),
            "comparison 3: 11 runs a side are too few for a noise floor\n"
            "  make 36 runs a side or more");
  auto zero = good;
  zero[4].a[7] = 0;
  ASSERT_FALSE(estimate_floor(zero));
  EXPECT_EQ(estimate_floor(zero).error().where, "comparison 5");
}

}  // namespace
}  // namespace assay::verdict
