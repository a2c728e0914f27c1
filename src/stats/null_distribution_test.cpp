// SPDX-License-Identifier: Apache-2.0
#include "stats/null_distribution.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <thread>

namespace assay::stats {
namespace {

// Counts of pairs "a B before an A" over all 924 orders of one block, by enumeration.
std::vector<double> enumerate_block() {
  std::vector<double> pmf(37, 0.0);
  for (unsigned order = 0; order < 4096; ++order) {
    if (std::popcount(order) != 6) continue;
    std::size_t count = 0, b_before = 0;
    for (unsigned slot = 0; slot < 12; ++slot) {
      if ((order >> slot & 1u) != 0)
        ++b_before;
      else
        count += b_before;
    }
    pmf[count] += 1.0 / 924;
  }
  return pmf;
}

TEST(PooledCount, OneBlockIsTheEnumeration) {
  const auto pmf = enumerate_block();
  const auto& null = pooled_count(1);
  ASSERT_EQ(null.size(), 37u);
  double sum = 0;
  for (std::size_t c = 0; c < pmf.size(); ++c) EXPECT_NEAR(null.cdf(c), sum += pmf[c], 1e-14) << c;
}

TEST(PooledCount, BlocksAreIndependentAndSymmetric) {
  const auto pmf = enumerate_block();
  std::vector<double> three(109, 0.0);
  for (std::size_t i = 0; i < 37; ++i)
    for (std::size_t j = 0; j < 37; ++j)
      for (std::size_t k = 0; k < 37; ++k) three[i + j + k] += pmf[i] * pmf[j] * pmf[k];
  const auto& null = pooled_count(3);
  ASSERT_EQ(null.size(), three.size());
  double sum = 0;
  for (std::size_t c = 0; c < three.size(); ++c) EXPECT_NEAR(null.cdf(c), sum += three[c], 1e-12);
  for (std::size_t c = 0; c + 1 < null.size(); ++c)
    EXPECT_NEAR(null.cdf(c), 1 - null.cdf(null.size() - 2 - c), 1e-12);
  // The tail keeps its relative precision: all B before all A in 150 blocks.
  EXPECT_NEAR(pooled_count(45).cdf(0) / std::pow(1.0 / 924, 45), 1, 1e-12);
}

TEST(PooledCount, CriticalValuesOfTheRule) {
  // n, 99 %, 95 %, then both under the spread guard (rule.md section 2).
  const struct {
    int n, c99, c95, guard99, guard95;
  } cases[] = {{6, 0, 1, -1, -1},
               {12, 7, 11, 3, 8},
               {18, 18, 24, 13, 19},
               {24, 30, 37, 24, 31},
               {30, 43, 51, 36, 44},
               {36, 57, 65, 48, 58},
               {48, 85, 94, 75, 86},
               {60, 114, 125, 102, 115},
               {78, 158, 171, 145, 160},
               {96, 204, 218, 189, 206},
               {120, 266, 282, 250, 268},
               {156, 361, 379, 342, 363},
               {198, 473, 494, 452, 476},
               {252, 620, 643, 596, 623},
               {324, 817, 844, 791, 822},
               {420, 1084, 1114, 1053, 1089},
               {540, 1421, 1455, 1386, 1426},
               {696, 1862, 1900, 1822, 1868},
               {900, 2443, 2487, 2398, 2450}};
  for (const auto& c : cases) {
    const auto& null = pooled_count(static_cast<std::size_t>(c.n / 6));
    EXPECT_EQ(null.critical(c.n == 6 ? 0.00217 : 0.0008), c.c99) << c.n;
    EXPECT_EQ(null.critical(0.0055), c.c95) << c.n;
    EXPECT_EQ(null.critical(0.00008), c.guard99) << c.n;
    EXPECT_EQ(null.critical(0.0011), c.guard95) << c.n;
  }
}

TEST(PooledCount, CriticalIsTheLargestCountWithinTheTail) {
  for (const std::size_t blocks : {1u, 2u, 7u, 33u}) {
    const auto& null = pooled_count(blocks);
    for (const double level : {0.5, 0.1, 0.01, 0.0021, 1e-6}) {
      const int c = null.critical(level);
      if (c >= 0) {
        EXPECT_LE(null.cdf(static_cast<std::size_t>(c)), level / 2 * (1 + 1e-9));
      }
      EXPECT_GT(null.cdf(static_cast<std::size_t>(c + 1)), level / 2);
    }
  }
}

// The chance that the count leaves [c + 1, N - 1 - c] at any of the 19 looks, exactly: the
// distribution is carried from block to block and what has left is taken out.
TEST(PooledCount, TheLevelsOfAllLooksAddUp) {
  const std::size_t looks[] = {1,  2,  3,  4,  5,  6,  8,  10,  13, 16,
                               20, 26, 33, 42, 54, 70, 90, 116, 150};
  std::vector<double> block(37);
  for (std::size_t u = 0; u < block.size(); ++u)
    block[u] = pooled_count(1).cdf(u) - (u > 0 ? pooled_count(1).cdf(u - 1) : 0);
  const auto overall = [&](double first_level, double level) {
    std::vector<double> alive = {1.0};
    double left = 0;
    for (std::size_t blocks = 1; blocks <= 150; ++blocks) {
      std::vector<double> next(alive.size() + 36, 0.0);
      for (std::size_t i = 0; i < alive.size(); ++i)
        for (std::size_t u = 0; u < block.size(); ++u) next[i + u] += alive[i] * block[u];
      alive = std::move(next);
      if (std::find(std::begin(looks), std::end(looks), blocks) == std::end(looks)) continue;
      const int c = pooled_count(blocks).critical(blocks == 1 ? first_level : level);
      for (std::size_t u = 0; u < static_cast<std::size_t>(c + 1); ++u) {
        for (double* out : {&alive[u], &alive[alive.size() - 1 - u]}) {
          left += *out;
          *out = 0;
        }
      }
    }
    return left;
  };
  EXPECT_NEAR(overall(0.00217, 0.0008), 0.0099, 0.00005);
  EXPECT_NEAR(overall(0.0055, 0.0055), 0.0498, 0.00005);
}

TEST(PooledCount, ManyThreadsGetTheSameTables) {
  std::vector<std::thread> threads;
  std::vector<const NullDistribution*> found(8);
  for (std::size_t t = 0; t < found.size(); ++t)
    threads.emplace_back([&found, t] {
      for (std::size_t blocks = 1; blocks <= 40; ++blocks) found[t] = &pooled_count(blocks);
    });
  for (auto& thread : threads) thread.join();
  for (const auto* table : found) EXPECT_EQ(table, &pooled_count(40));
}

TEST(SignedRankCount, IsTheEnumerationOfAllSigns) {
  for (std::size_t n = 1; n <= 10; ++n) {
    std::vector<double> pmf(n * (n + 1) / 2 + 1, 0.0);
    for (unsigned signs = 0; signs < 1u << n; ++signs) {
      std::size_t sum = 0;
      for (std::size_t rank = 1; rank <= n; ++rank)
        if ((signs >> (rank - 1) & 1u) != 0) sum += rank;
      pmf[sum] += std::ldexp(1.0, -static_cast<int>(n));
    }
    const auto null = signed_rank_count(n);
    ASSERT_EQ(null.size(), pmf.size());
    double sum = 0;
    for (std::size_t c = 0; c < pmf.size(); ++c) EXPECT_DOUBLE_EQ(null.cdf(c), sum += pmf[c]);
  }
}

TEST(NullDistribution, TwoSidedPIsAtMostOne) {
  const auto& null = pooled_count(1);
  EXPECT_DOUBLE_EQ(null.two_sided_p(0, 36), 2.0 / 924);
  EXPECT_DOUBLE_EQ(null.two_sided_p(36, 0), 2.0 / 924);
  EXPECT_DOUBLE_EQ(null.two_sided_p(36, 36), 1);
}

}  // namespace
}  // namespace assay::stats
