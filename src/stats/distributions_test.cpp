// SPDX-License-Identifier: Apache-2.0
#include "stats/distributions.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace assay::stats {
namespace {

TEST(Normal, UpperQuantiles) {
  const struct {
    double p, z;
  } cases[] = {{0.5, 0},
               {0.025, 1.959963984540054},
               {0.0004, 3.352794780504869},
               {0.00275, 2.776190},
               {0.25, 0.6744897501960817},
               {0.975, -1.959963984540054}};
  for (const auto& c : cases) EXPECT_NEAR(normal_upper_quantile(c.p), c.z, 1e-6) << c.p;
  for (const double p : {1e-12, 1e-6, 0.01, 0.3})
    EXPECT_NEAR(normal_two_sided(normal_upper_quantile(p / 2)) / p, 1, 1e-10) << p;
}

TEST(StudentT, Quantiles) {
  const struct {
    double p, df, t;
  } cases[] = {{0.995, 4, 4.604094871415897},
               {0.975, 4, 2.7764451051977987},
               {0.995, 1, 63.65674116287399},
               {0.975, 30, 2.0422724563012373},
               {0.5, 7, 0},
               {0.025, 4, -2.7764451051977987}};
  for (const auto& c : cases)
    EXPECT_NEAR(t_quantile(c.p, c.df), c.t, 1e-9 * (1 + std::fabs(c.t))) << c.df;
  for (const double df : {1.0, 3.0, 20.0})
    EXPECT_NEAR(t_two_sided(t_quantile(0.995, df), df), 0.01, 1e-12) << df;
  EXPECT_EQ(t_two_sided(std::numeric_limits<double>::infinity(), 3), 0);
  EXPECT_NEAR(t_two_sided(0, 3), 1, 1e-15);
  EXPECT_DOUBLE_EQ(t_two_sided(2, 3), t_two_sided(-2, 3));
}

TEST(ChiSquared, UpperTail) {
  EXPECT_NEAR(chi_squared_upper(3.841458820694124, 1), 0.05, 1e-12);
  EXPECT_NEAR(chi_squared_upper(31.264133620239985, 11), 0.001, 1e-12);
  EXPECT_EQ(chi_squared_upper(0, 5), 1);
}

TEST(FairCoin, IsPascalsTriangle) {
  EXPECT_NEAR(fair_coin_cdf(0, 5), 1.0 / 32, 1e-15);
  EXPECT_NEAR(fair_coin_cdf(2, 5), 0.5, 1e-14);
  EXPECT_NEAR(fair_coin_cdf(1, 10), 11.0 / 1024, 1e-14);
}

}  // namespace
}  // namespace assay::stats
