// SPDX-License-Identifier: Apache-2.0
#include "stats/rank_contrasts.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "base/random.hpp"

namespace assay::stats {
namespace {

TEST(Midranks, Tables) {
  const struct {
    std::vector<double> values, expected;
  } cases[] = {{{}, {}},
               {{7}, {1}},
               {{5, 7, 5}, {1.5, 3, 1.5}},
               {{3, 2, 1}, {3, 2, 1}},
               {{1, 1 + 1e-13, 2}, {1.5, 1.5, 3}},
               {{4, 4, 4, 4}, {2.5, 2.5, 2.5, 2.5}}};
  for (const auto& c : cases) EXPECT_EQ(midranks(c.values), c.expected);
}

TEST(SweepContrasts, AreContrasts) {
  for (std::size_t k = 2; k <= 9; ++k) {
    const auto contrasts = sweep_contrasts(k);
    ASSERT_EQ(contrasts.size(), k);
    for (const auto& c : contrasts) EXPECT_NEAR(std::accumulate(c.begin(), c.end(), 0.0), 0, 1e-12);
  }
  EXPECT_EQ(sweep_contrasts(3)[0], (std::vector<double>{-1, 0, 1}));
  EXPECT_EQ(sweep_contrasts(3)[1], (std::vector<double>{-1, 0.5, 0.5}));
  EXPECT_EQ(sweep_contrasts(3)[2], (std::vector<double>{-0.5, -0.5, 1}));
}

TEST(RankContrasts, AreStandardNormalWithoutEffect) {
  Random random(51);
  const auto contrasts = sweep_contrasts(4);
  std::vector<double> sum(4), square(4);
  constexpr int kRounds = 3000;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<double> y;
    for (int r = 0; r < 12; ++r) {
      const double common = 10 * random.normal();  // what a round has in common cancels
      for (int l = 0; l < 4; ++l) y.push_back(common + random.normal());
    }
    const auto z = rank_contrast_z(y, 4, contrasts);
    for (std::size_t j = 0; j < 4; ++j) {
      sum[j] += z[j];
      square[j] += z[j] * z[j];
    }
  }
  for (std::size_t j = 0; j < 4; ++j) {
    EXPECT_NEAR(sum[j] / kRounds, 0, 4 / std::sqrt(kRounds));
    EXPECT_NEAR(square[j] / kRounds, 1, 4 * std::sqrt(2.0 / kRounds));
  }
}

TEST(RankContrasts, PerfectOrderByHand) {
  // Two rounds of 1, 2, 3: the trend sum is 2 * 2, the variance 2 * 1 * 2 = 2 * 3 * 4 / 12 * 2.
  const std::vector<double> y = {1, 2, 3, 5, 6, 7};
  EXPECT_NEAR(rank_contrast_z(y, 3, sweep_contrasts(3))[0], 2, 1e-12);
}

}  // namespace
}  // namespace assay::stats
