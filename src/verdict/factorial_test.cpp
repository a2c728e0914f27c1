// SPDX-License-Identifier: Apache-2.0
#include "verdict/factorial.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "base/random.hpp"
#include "stats/signed_rank.hpp"

namespace assay::verdict {
namespace {

// Rounds of 2^k cells; `effects[s]` is added (as +-1/2) by the product contrast of factor set s.
std::vector<double> draw(Random& random, std::size_t rounds, std::size_t cells, double sd,
                         const std::vector<double>& effects) {
  std::vector<double> y;
  for (std::size_t r = 0; r < rounds; ++r) {
    const double common = random.normal();
    for (std::size_t c = 0; c < cells; ++c) {
      double log = common + sd * random.normal();
      for (std::size_t s = 1; s < effects.size(); ++s)
        log += 0.5 * effects[s] * (std::popcount(s & ~c) % 2 == 0 ? 1 : -1);
      y.push_back(std::exp(log));
    }
  }
  return y;
}

TEST(Factorial, AgreesWithTheContrastsWrittenOut) {
  Random random(701);
  for (const std::size_t cells : {2u, 4u, 8u, 16u}) {
    const std::size_t rounds = 12;
    const auto y = draw(random, rounds, cells, 0.05, {});
    const auto found = analyse_factorial(y, cells);
    ASSERT_TRUE(found);
    ASSERT_EQ(found->size(), cells - 1);
    for (std::size_t s = 1; s < cells; ++s) {
      std::vector<double> contrast;
      for (std::size_t r = 0; r < rounds; ++r) {
        double sum = 0;
        for (std::size_t c = 0; c < cells; ++c)
          sum += std::log(y[r * cells + c]) * (std::popcount(s & ~c) % 2 == 0 ? 1 : -1);
        contrast.push_back(sum / (static_cast<double>(cells) / 2));
      }
      const auto expected = stats::signed_rank(contrast, 0.01 / static_cast<double>(cells - 1));
      const Effect& effect = (*found)[s - 1];
      EXPECT_EQ(effect.factors, s);
      EXPECT_NEAR(effect.estimate, expected.estimate, 1e-12);
      EXPECT_EQ(effect.lo.has_value(), expected.lo.has_value());
      EXPECT_DOUBLE_EQ(effect.p, expected.p);
    }
  }
}

TEST(Factorial, FindsAMainEffectAndAnInteraction) {
  Random random(702);
  const auto y = draw(random, 24, 8, 0.01, {0, 0.05, 0, 0, 0, 0, -0.04, 0});
  const auto found = analyse_factorial(y, 8);
  ASSERT_TRUE(found);
  for (const Effect& effect : *found) {
    const double truth = effect.factors == 1 ? 0.05 : effect.factors == 6 ? -0.04 : 0;
    EXPECT_EQ(effect.active, truth != 0) << effect.factors;
    EXPECT_NEAR(effect.estimate, truth, 0.01) << effect.factors;
    EXPECT_GE(effect.p_holm, effect.p);
  }
}

TEST(Factorial, FalseClaimsOfAWholeFamily) {
  Random random(703);
  int families = 0;
  constexpr int kReps = 1000;
  for (int r = 0; r < kReps; ++r) {
    bool any = false;
    const auto found = analyse_factorial(draw(random, 16, 4, 0.05, {}), 4);
    for (const Effect& e : *found) any |= e.active;
    families += any;
  }
  EXPECT_LE(families, kReps * 0.01 + 4 * std::sqrt(kReps * 0.01));
}

TEST(Factorial, Errors) {
  const std::vector<double> nine(9, 1.0), eight(8, 1.0);
  for (const std::size_t cells : {0u, 1u, 3u, 6u, 2048u})
    EXPECT_FALSE(analyse_factorial(eight, cells)) << cells;
  EXPECT_FALSE(analyse_factorial(nine, 4));
  EXPECT_FALSE(analyse_factorial({}, 4));
  EXPECT_FALSE(analyse_factorial(std::vector<double>(2 * 513, 1.0), 2));
  auto zero = eight;
  zero[5] = 0;
  const auto found = analyse_factorial(zero, 4);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().to_text(),
            "round 2, column 2: a value that is not positive has no logarithm");
  EXPECT_TRUE(analyse_factorial(eight, 4));
}

}  // namespace
}  // namespace assay::verdict
