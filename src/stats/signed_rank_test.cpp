// SPDX-License-Identifier: Apache-2.0
#include "stats/signed_rank.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random.hpp"

namespace assay::stats {
namespace {

// p by flipping all signs: how often is the sum of positive ranks as extreme?
double p_by_enumeration(const std::vector<double>& d) {
  const std::size_t n = d.size();
  std::vector<std::size_t> rank(n, 1);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) rank[i] += std::fabs(d[j]) < std::fabs(d[i]);
  std::size_t observed = 0;
  for (std::size_t i = 0; i < n; ++i)
    if (d[i] > 0) observed += rank[i];
  std::size_t low = 0, high = 0;
  for (unsigned signs = 0; signs < 1u << n; ++signs) {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < n; ++i)
      if ((signs >> i & 1u) != 0) sum += rank[i];
    low += sum <= observed;
    high += sum >= observed;
  }
  return std::min(1.0, 2 * static_cast<double>(std::min(low, high)) / std::pow(2.0, n));
}

std::vector<double> draw(Random& random, std::size_t n, double center) {
  std::vector<double> d(n);
  for (double& x : d) x = center + random.normal();
  return d;
}

TEST(SignedRank, PIsTheEnumeration) {
  Random random(41);
  for (int round = 0; round < 60; ++round) {
    const auto d = draw(random, 3 + random.below(8), 0.7);
    EXPECT_NEAR(signed_rank(d, 0.05).p, p_by_enumeration(d), 1e-12);
  }
}

// The interval is made of the centres that the test does not reject.
TEST(SignedRank, IntervalInvertsTheTest) {
  Random random(42);
  for (int round = 0; round < 40; ++round) {
    const auto d = draw(random, 8 + random.below(12), 0);
    const auto found = signed_rank(d, 0.05);
    ASSERT_TRUE(found.lo && found.hi);
    const auto p_at = [&](double center) {
      auto shifted = d;
      for (double& x : shifted) x -= center;
      return signed_rank(shifted, 0.05).p;
    };
    EXPECT_LE(p_at(*found.lo - 1e-6), 0.05);
    EXPECT_GT(p_at(*found.lo + 1e-6), 0.05);
    EXPECT_LE(p_at(*found.hi + 1e-6), 0.05);
    EXPECT_GT(p_at(*found.hi - 1e-6), 0.05);
  }
}

TEST(SignedRank, TurnsAndShiftsWithTheData) {
  Random random(43);
  const auto d = draw(random, 12, 0.4);
  auto turned = d, shifted = d;
  for (double& x : turned) x = -x;
  for (double& x : shifted) x += 3;
  const auto base = signed_rank(d, 0.01), t = signed_rank(turned, 0.01),
             s = signed_rank(shifted, 0.01);
  EXPECT_DOUBLE_EQ(t.estimate, -base.estimate);
  EXPECT_DOUBLE_EQ(*t.lo, -*base.hi);
  EXPECT_DOUBLE_EQ(t.p, base.p);
  EXPECT_NEAR(s.estimate, base.estimate + 3, 1e-12);
  EXPECT_NEAR(*s.hi, *base.hi + 3, 1e-12);
}

TEST(SignedRank, SmallSamplesAndTies) {
  EXPECT_FALSE(signed_rank(std::vector<double>{1, 2, 3, 4, 5}, 0.05).lo);  // 2 / 32 > .05
  EXPECT_TRUE(signed_rank(std::vector<double>{1, 2, 3, 4, 5, 6}, 0.05).lo);
  const auto none = signed_rank(std::vector<double>(12, 0.0), 0.05);
  EXPECT_EQ(none.p, 1);
  EXPECT_EQ(none.estimate, 0);
  EXPECT_EQ(signed_rank(std::vector<double>{2}, 0.05).estimate, 2);
}

}  // namespace
}  // namespace assay::stats
