// SPDX-License-Identifier: Apache-2.0
#include "stats/multiple.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.hpp"

namespace assay::stats {
namespace {

TEST(Multiple, Tables) {
  const std::vector<double> p = {0.01, 0.04, 0.03};
  const auto by_holm = holm(p, 0.05), by_bh = benjamini_hochberg(p, 0.05);
  const std::vector<double> expected_holm = {0.03, 0.06, 0.06}, expected_bh = {0.03, 0.04, 0.04};
  for (std::size_t i = 0; i < p.size(); ++i) {
    EXPECT_NEAR(by_holm.p[i], expected_holm[i], 1e-15);
    EXPECT_NEAR(by_bh.p[i], expected_bh[i], 1e-15);
  }
  EXPECT_EQ(by_holm.reject, (std::vector<bool>{true, false, false}));
  EXPECT_EQ(by_bh.reject, (std::vector<bool>{true, true, true}));
  EXPECT_TRUE(holm({}, 0.05).p.empty());
  EXPECT_TRUE(benjamini_hochberg({}, 0.05).reject.empty());
}

// The step-wise definitions, without adjusted values.
std::vector<bool> holm_by_steps(const std::vector<double>& p, double level) {
  std::vector<bool> reject(p.size(), false);
  for (std::size_t left = p.size(); left > 0; --left) {
    std::size_t best = p.size();
    for (std::size_t i = 0; i < p.size(); ++i)
      if (!reject[i] && (best == p.size() || p[i] < p[best])) best = i;
    if (static_cast<double>(left) * p[best] > level) break;
    reject[best] = true;
  }
  return reject;
}

std::vector<bool> bh_by_steps(const std::vector<double>& p, double level) {
  std::vector<double> ascending = p;
  std::sort(ascending.begin(), ascending.end());
  double limit = -1;
  for (std::size_t k = 1; k <= p.size(); ++k)
    if (ascending[k - 1] * static_cast<double>(p.size()) / static_cast<double>(k) <= level)
      limit = ascending[k - 1];
  std::vector<bool> reject;
  for (const double x : p) reject.push_back(x <= limit);
  return reject;
}

TEST(Multiple, AgreesWithTheStepwiseProcedures) {
  Random random(31);
  for (int round = 0; round < 500; ++round) {
    std::vector<double> p(random.below(12));
    for (double& x : p) x = std::pow(random.uniform(), 4);
    EXPECT_EQ(holm(p, 0.05).reject, holm_by_steps(p, 0.05));
    EXPECT_EQ(benjamini_hochberg(p, 0.05).reject, bh_by_steps(p, 0.05));
  }
}

TEST(Multiple, AdjustedValuesLieBetweenTheirBounds) {
  Random random(32);
  for (int round = 0; round < 200; ++round) {
    std::vector<double> p(1 + random.below(10));
    for (double& x : p) x = static_cast<double>(random.below(20)) / 20;
    const auto by_holm = holm(p, 0.05), by_bh = benjamini_hochberg(p, 0.05);
    for (std::size_t i = 0; i < p.size(); ++i) {
      EXPECT_GE(by_bh.p[i], p[i] - 1e-15);
      EXPECT_LE(by_bh.p[i], by_holm.p[i] + 1e-15);
      EXPECT_LE(by_holm.p[i], 1);
    }
  }
}

}  // namespace
}  // namespace assay::stats
