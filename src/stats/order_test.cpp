// SPDX-License-Identifier: Apache-2.0
#include "stats/order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.hpp"

namespace assay::stats {
namespace {

TEST(Median, Tables) {
  const struct {
    std::vector<double> values;
    std::optional<double> expected;
  } cases[] = {{{}, std::nullopt},  {{3}, 3},          {{4, 1}, 2.5}, {{9, 1, 5}, 5},
               {{1, 1, 2, 8}, 1.5}, {{-1, -3, -2}, -2}};
  for (const auto& c : cases) {
    EXPECT_EQ(median(c.values), c.expected);
    EXPECT_EQ(median_of_sorted(sorted(c.values)), c.expected);
  }
}

TEST(Median, SelectionAgreesWithSorting) {
  Random random(11);
  for (std::size_t n = 1; n < 60; ++n) {
    std::vector<double> values;
    for (std::size_t i = 0; i < n; ++i)
      values.push_back(n % 3 == 0 ? static_cast<double>(random.below(4)) : random.normal());
    const auto expected = median_of_sorted(sorted(values));
    EXPECT_EQ(median_in_place(values), expected) << n;
  }
}

TEST(Quantile, Tables) {
  const std::vector<double> four = {1, 2, 3, 4}, ten = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  const struct {
    const std::vector<double>& values;
    double q, expected;
  } cases[] = {{four, 0.5, 2}, {four, 0.51, 3}, {four, 1, 4},   {four, 0.001, 1},
               {ten, 0.9, 9},  {ten, 0.3, 3},   {ten, 0.99, 10}};
  for (const auto& c : cases) EXPECT_EQ(quantile_of_sorted(c.values, c.q), c.expected) << c.q;
  EXPECT_EQ(quantile_of_sorted({}, 0.5), std::nullopt);
}

TEST(Quantile, IsTheSmallestValueWithEnoughBelow) {
  Random random(12);
  for (int round = 0; round < 200; ++round) {
    std::vector<double> values;
    const std::size_t n = 1 + random.below(40);
    for (std::size_t i = 0; i < n; ++i) values.push_back(static_cast<double>(random.below(15)));
    const auto ascending = sorted(values);
    const double q = 0.001 + 0.998 * random.uniform();
    const double found = *quantile_of_sorted(ascending, q);
    const auto share = [&](double x, bool inclusive) {
      return static_cast<double>(
                 std::count_if(values.begin(), values.end(),
                               [&](double y) { return inclusive ? y <= x : y < x; })) /
             static_cast<double>(n);
    };
    EXPECT_GE(share(found, true), q - 1e-9);
    EXPECT_LT(share(found, false), q);
  }
}

TEST(PairDifference, Tables) {
  EXPECT_EQ(median_pair_difference(std::vector<double>{}), std::nullopt);
  EXPECT_EQ(median_pair_difference(std::vector<double>{7}), std::nullopt);
  EXPECT_EQ(median_pair_difference(std::vector<double>{1, 2, 4}), 2);
  EXPECT_EQ(median_pair_difference(std::vector<double>{5, 5, 5, 9}), 2);  // 0 0 0 4 4 4
  std::vector<double> out = {1};
  append_pair_differences(std::vector<double>{3, 1}, out);
  EXPECT_EQ(out, (std::vector<double>{1, 2}));
}

}  // namespace
}  // namespace assay::stats
