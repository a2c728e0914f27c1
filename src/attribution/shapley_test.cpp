// SPDX-License-Identifier: Apache-2.0
#include "attribution/shapley.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "base/random.hpp"

namespace assay::attribution {
namespace {

using Worth = std::function<double(std::uint64_t)>;

// The definition: the mean over all orders of what a factor adds when its turn comes.
std::vector<double> by_orders(std::size_t k, const Worth& worth) {
  std::vector<std::size_t> order(k);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<double> values(k, 0);
  double orders = 0;
  do {
    std::uint64_t before = 0;
    for (const std::size_t i : order) {
      const std::uint64_t after = before | (std::uint64_t{1} << i);
      values[i] += worth(after) - worth(before);
      before = after;
    }
    ++orders;
  } while (std::next_permutation(order.begin(), order.end()));
  for (double& value : values) value /= orders;
  return values;
}

// A game with arbitrary worths, the same for the same seed.
Worth random_game(std::size_t k, std::uint64_t seed) {
  std::vector<double> worths(std::size_t{1} << k);
  Random random(seed);
  for (double& worth : worths) worth = 100 * random.uniform();
  return [worths](std::uint64_t set) { return worths[set]; };
}

TEST(Shapley, IsTheMeanOverAllOrders) {
  for (std::size_t k = 0; k <= 6; ++k) {
    const Worth game = random_game(k, 10 + k);
    const Shapley result = shapley(k, game, 1);
    const std::vector<double> expected = by_orders(k, game);
    for (std::size_t i = 0; i < k; ++i) EXPECT_NEAR(result.values[i], expected[i], 1e-9);
    EXPECT_NEAR(std::accumulate(result.values.begin(), result.values.end(), 0.0),
                result.full - result.empty, 1e-9);
    EXPECT_FALSE(result.sampled);
  }
}

TEST(Shapley, InteractionOfKnownGames) {
  struct Case {
    const char* name;
    Worth worth;
    std::vector<double> values;
    double pair01, pair02;
  };
  const auto has = [](std::uint64_t set, int i) { return (set >> i & 1) != 0; };
  const std::vector<Case> cases = {
      {"additive",
       [&](std::uint64_t s) { return 3.0 * has(s, 0) + 4.0 * has(s, 1); },
       {3, 4, 0},
       0,
       0},
      {"both needed",
       [&](std::uint64_t s) { return 6.0 * (has(s, 0) && has(s, 1)); },
       {3, 3, 0},
       6,
       0},
      {"either does",
       [&](std::uint64_t s) { return 6.0 * (has(s, 0) || has(s, 1)); },
       {3, 3, 0},
       -6,
       0},
      {"all three", [&](std::uint64_t s) { return 6.0 * (s == 7); }, {2, 2, 2}, 3, 3},
  };
  for (const Case& c : cases) {
    const Shapley result = shapley(3, c.worth, 1);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(result.values[i], c.values[i], 1e-12) << c.name;
    EXPECT_NEAR(result.pairs[1], c.pair01, 1e-12) << c.name;
    EXPECT_NEAR(result.pairs[2], c.pair02, 1e-12) << c.name;
    EXPECT_EQ(result.pairs[3], 0) << "only i < j";
  }
}

TEST(Shapley, ManyFactorsAreSampledAndStillSum) {
  const std::size_t k = 12;
  // Additive plus one pair: the truth is known.
  const Worth game = [](std::uint64_t set) {
    double worth = 0;
    for (int i = 0; i < 12; ++i) worth += (set >> i & 1) != 0 ? i : 0;
    return worth + ((set & 3) == 3 ? 10.0 : 0.0);
  };
  const Shapley result = shapley(k, game, 7);
  EXPECT_TRUE(result.sampled);
  EXPECT_NEAR(std::accumulate(result.values.begin(), result.values.end(), 0.0),
              result.full - result.empty, 1e-9);
  for (std::size_t i = 2; i < k; ++i) EXPECT_NEAR(result.values[i], double(i), 1e-9);
  EXPECT_NEAR(result.values[0], 5, 1e-9) << "an order and its reverse share the pair evenly";
  EXPECT_NEAR(result.pairs[1], 10, 1e-9);
  const Shapley again = shapley(k, game, 7);
  EXPECT_EQ(result.values, again.values);
}

TEST(Shapley, ExchangingTheSidesNegatesEveryValue) {
  for (const std::size_t k : {4u, 10u}) {
    const Worth game = random_game(k, 3);
    const std::uint64_t all = (std::uint64_t{1} << k) - 1;
    const Shapley there = shapley(k, game, 5);
    const Shapley back = shapley(
        k, [&](std::uint64_t set) { return game(all ^ set); }, 5);
    for (std::size_t i = 0; i < k; ++i) EXPECT_NEAR(there.values[i], -back.values[i], 1e-9);
    EXPECT_NEAR(there.full - there.empty, back.empty - back.full, 1e-12);
  }
}

TEST(Shapley, EachSetIsAskedOnce) {
  std::vector<int> asked(1 << 5, 0);
  (void)shapley(
      5, [&](std::uint64_t set) { return ++asked[set]; }, 1);
  EXPECT_EQ(std::count(asked.begin(), asked.end(), 1), 32);
}

}  // namespace
}  // namespace assay::attribution
