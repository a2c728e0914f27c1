// SPDX-License-Identifier: Apache-2.0
#include "verdict/sweep.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.hpp"
#include "model/words.hpp"

namespace assay::verdict {
namespace {

std::vector<double> draw(Random& random, std::size_t rounds, const std::vector<double>& effects,
                         double sd = 0.01) {
  std::vector<double> y;
  for (std::size_t r = 0; r < rounds; ++r) {
    const double common = random.normal();
    for (const double effect : effects)
      y.push_back(std::exp(common + effect + sd * random.normal()));
  }
  return y;
}

TEST(Sweep, Shapes) {
  const struct {
    const char* name;
    std::vector<double> effects;
    Shape shape;
    std::optional<std::size_t> at;
  } cases[] = {{"flat", {0, 0, 0, 0}, Shape::flat, std::nullopt},
               {"trend", {0, 0.05, 0.1, 0.15, 0.2}, Shape::trend, std::nullopt},
               {"down", {0, -0.05, -0.1, -0.15}, Shape::trend, std::nullopt},
               {"step", {0, 0, 0, 0.1, 0.1}, Shape::step, 3},
               {"step after the first", {0, -0.1, -0.1, -0.1, -0.1}, Shape::step, 1}};
  std::uint64_t seed = 801;
  for (const auto& c : cases) {
    Random random(seed++);
    const auto found = analyse_sweep(draw(random, 24, c.effects), c.effects.size());
    ASSERT_TRUE(found) << c.name;
    EXPECT_EQ(found->shape, c.shape) << c.name;
    EXPECT_EQ(found->at, c.at) << c.name;
    ASSERT_EQ(found->levels.size(), c.effects.size());
    for (std::size_t l = 0; l < c.effects.size(); ++l) {
      EXPECT_NEAR(found->levels[l].estimate, c.effects[l], 0.015) << c.name << l;
      EXPECT_LE(*found->levels[l].lo, found->levels[l].estimate);
      EXPECT_GE(*found->levels[l].hi, found->levels[l].estimate);
    }
  }
}

TEST(Sweep, NoiseIsUndecidedAndClaimsAreRare) {
  Random random(811);
  constexpr int kReps = 1500;
  int claims = 0, flat = 0;
  for (int r = 0; r < kReps; ++r) {
    const auto found = analyse_sweep(draw(random, 12, {0, 0, 0, 0}, 0.2), 4);
    claims += found->shape == Shape::trend || found->shape == Shape::step;
    flat += found->shape == Shape::flat;
  }
  EXPECT_LE(claims, kReps * 0.01 + 4 * std::sqrt(kReps * 0.01));
  EXPECT_EQ(flat, 0);
}

TEST(Sweep, Errors) {
  const std::vector<double> six(6, 1.0);
  EXPECT_FALSE(analyse_sweep(six, 1));
  EXPECT_FALSE(analyse_sweep(six, 0));
  EXPECT_FALSE(analyse_sweep(six, 4));
  EXPECT_FALSE(analyse_sweep({}, 2));
  EXPECT_FALSE(analyse_sweep(std::vector<double>(257, 1.0), 257));
  EXPECT_FALSE(analyse_sweep(std::vector<double>(513 * 2, 1.0), 2));
  EXPECT_FALSE(analyse_sweep(std::vector<double>{1, 2, 3, -1}, 2));
  const auto constant = analyse_sweep(six, 2);  // three rounds: too few for any bound
  ASSERT_TRUE(constant);
  EXPECT_EQ(constant->shape, Shape::undecided);
  EXPECT_EQ(to_word(Shape::trend), "TREND");
}

}  // namespace
}  // namespace assay::verdict
