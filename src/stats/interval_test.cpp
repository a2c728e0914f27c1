// SPDX-License-Identifier: Apache-2.0
#include "stats/interval.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/random.hpp"

namespace assay::stats {
namespace {

std::vector<double> one_to(std::size_t n) {
  std::vector<double> values(n);
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

TEST(MedianInterval, Tables) {
  // Conover's table: n, level -> ranks of the ends.
  const struct {
    std::size_t n;
    double level, lo, hi, achieved;
  } cases[] = {{6, 0.95, 1, 6, 0.96875},
               {8, 0.95, 1, 8, 0.9921875},
               {9, 0.95, 2, 8, 0.9609375},
               {10, 0.95, 2, 9, 0.978515625},
               {20, 0.95, 6, 15, 0.9586105346679688},
               {8, 0.99, 1, 8, 0.9921875}};
  for (const auto& c : cases) {
    const auto found = median_interval(one_to(c.n), Confidence(c.level));
    ASSERT_TRUE(found) << c.n;
    EXPECT_EQ(found->lo, c.lo) << c.n;
    EXPECT_EQ(found->hi, c.hi) << c.n;
    EXPECT_NEAR(found->achieved, c.achieved, 1e-12) << c.n;
  }
}

TEST(MedianInterval, NothingWhenTooFew) {
  for (std::size_t n = 0; n < 6; ++n) EXPECT_FALSE(median_interval(one_to(n), Confidence(0.95)));
  EXPECT_FALSE(median_interval(one_to(7), Confidence(0.99)));
  EXPECT_TRUE(median_interval(one_to(2), Confidence(0.5)));
}

TEST(MedianInterval, IsTheNarrowestThatReachesTheLevel) {
  for (std::size_t n = 2; n <= 200; ++n) {
    std::vector<double> cdf(n + 1);  // of heads among n coins, by Pascal's triangle in logs
    double sum = 0;
    for (std::size_t k = 0; k <= n; ++k) {
      const double x = static_cast<double>(n), y = static_cast<double>(k);
      sum += std::exp(std::lgamma(x + 1) - std::lgamma(y + 1) - std::lgamma(x - y + 1) -
                      x * std::log(2.0));
      cdf[k] = sum;
    }
    for (const double level : {0.5, 0.9, 0.99}) {
      std::size_t rank = 0;  // largest k with 2 P(heads <= k - 1) <= 1 - level
      while (rank < n / 2 && 2 * cdf[rank] <= (1 - level) * (1 + 1e-9)) ++rank;
      const auto found = median_interval(one_to(n), Confidence(level));
      ASSERT_EQ(found.has_value(), rank > 0) << n << " " << level;
      if (!found) continue;
      EXPECT_EQ(found->lo, static_cast<double>(rank)) << n << " " << level;
      EXPECT_EQ(found->hi, static_cast<double>(n + 1 - rank)) << n << " " << level;
      EXPECT_GE(found->achieved, level - 1e-9);
    }
  }
}

TEST(MedianInterval, CoversAtTheAchievedLevel) {
  Random random(21);
  constexpr int kRounds = 4000;
  int covered = 0;
  double achieved = 0;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<double> values(15);
    for (double& x : values) x = -std::log(1 - random.uniform());  // exponential
    std::sort(values.begin(), values.end());
    const auto found = *median_interval(values, Confidence(0.9));
    achieved = found.achieved;
    covered += found.lo <= std::log(2.0) && std::log(2.0) <= found.hi;
  }
  const double sd = std::sqrt(achieved * (1 - achieved) / kRounds);
  EXPECT_NEAR(covered / double{kRounds}, achieved, 4 * sd);
}

}  // namespace
}  // namespace assay::stats
