// SPDX-License-Identifier: Apache-2.0
#include "verdict/look.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace assay::verdict {
namespace {

// Cross ratios of n runs a side: a symmetric fan of width `half` about `center`, 6 n values.
std::vector<double> fan(std::size_t n, double center, double half) {
  std::vector<double> v(6 * n);
  for (std::size_t i = 0; i < v.size(); ++i)
    v[i] = center + half * (2 * static_cast<double>(i) / static_cast<double>(v.size() - 1) - 1);
  return v;
}

Look read(const RuleOptions& options, const std::vector<double>& v) {
  return LookRule(options).read(v, 0.01, 0.01);
}

TEST(Look, FirstMatchWins) {
  const double edge = std::log1p(0.02);
  const struct {
    const char* name;
    double center, half;
    std::optional<Verdict> verdict;
    Sign sign;
  } cases[] = {
      {"narrow about 0", 0, 0.01, Verdict::equivalent, Sign::none},
      {"narrow, small, sign proven", 0.005, 0.004, Verdict::equivalent, Sign::slower},
      {"narrow, small, other sign", -0.005, 0.004, Verdict::equivalent, Sign::faster},
      {"wide about 0", 0, 0.2, std::nullopt, Sign::none},
      {"clearly beyond", 0.06, 0.02, Verdict::slower, Sign::slower},
      {"clearly below", -0.06, 0.02, Verdict::faster, Sign::faster},
      {"sign proven, size straddles", 0.018, 0.015, std::nullopt, Sign::slower},
      {"beyond, sign not proven", 0.06, 0.2, std::nullopt, Sign::none},
      {"constant at the tolerance", edge, 0, Verdict::equivalent, Sign::slower},
      {"constant a hair above", edge + 1e-9, 0, Verdict::slower, Sign::slower},
      {"constant at minus the tolerance", -edge, 0, Verdict::equivalent, Sign::faster},
  };
  for (const auto& c : cases) {
    const Look look = read({}, fan(12, c.center, c.half));
    EXPECT_EQ(look.verdict, c.verdict) << c.name;
    EXPECT_EQ(look.sign, c.sign) << c.name;
    EXPECT_NEAR(look.estimate, c.center, 1e-12) << c.name;
  }
}

TEST(Look, BoundsAreTheOrderStatisticsOfTheTable) {
  const auto v = fan(12, 0, 1);  // 72 values; c99 = 7, c95 = 11, under the guard 3 and 8
  const Look plain = read({}, v);
  EXPECT_EQ(plain.lo99, v[7]);
  EXPECT_EQ(plain.hi99, v[64]);
  EXPECT_EQ(plain.lo95, v[11]);
  EXPECT_EQ(plain.hi95, v[60]);
  const Look guarded = LookRule({}).read(v, 0.01, 0.0301);
  EXPECT_TRUE(guarded.guard);
  EXPECT_EQ(guarded.lo99, v[3]);
  EXPECT_EQ(guarded.lo95, v[8]);
}

TEST(Look, TheGuardAtSixRunsLeavesNoBound) {
  const Look look = LookRule({}).read(fan(6, 0.5, 0.01), 0.01, 0.04);
  EXPECT_TRUE(look.guard);
  EXPECT_FALSE(look.lo99 || look.hi99 || look.lo95 || look.hi95);
  EXPECT_FALSE(look.verdict);
  EXPECT_EQ(look.sign, Sign::none);
}

TEST(Look, SpreadGuardTable) {
  const struct {
    std::size_t n;
    double a, b;
    bool guard;
  } cases[] = {{6, 1, 3, false},     {6, 1, 3.01, true}, {12, 3.01, 1, true}, {18, 1, 2, false},
               {18, 1, 2.01, true},  {6, 0, 0, false},   {6, 0, 0.001, true}, {6, 0, 1e-13, false},
               {198, 2.01, 1, true}, {18, 1, 1, false}};
  for (const auto& c : cases)
    EXPECT_EQ(LookRule({}).read(fan(c.n, 0, 1), c.a, c.b).guard, c.guard) << c.n << " " << c.b;
}

TEST(Look, AlphaOfAFamilyDelaysTheFirstClaim) {
  RuleOptions one, two;
  two.alpha = 0.005;
  EXPECT_EQ(read(one, fan(6, 0.5, 0.01)).verdict, Verdict::slower);
  EXPECT_FALSE(read(two, fan(6, 0.5, 0.01)).verdict);
  EXPECT_EQ(read(two, fan(12, 0.5, 0.01)).verdict, Verdict::slower);
  RuleOptions hundred;
  hundred.alpha = 0.0001;
  EXPECT_EQ(read(hundred, fan(12, 0.5, 0.01)).verdict, Verdict::slower);
}

TEST(Look, EquivalentWaitsWhenTailsCount) {
  RuleOptions tails;
  tails.min_equivalent_runs = 96;
  EXPECT_FALSE(read(tails, fan(78, 0, 0.001)).verdict);
  EXPECT_EQ(read(tails, fan(96, 0, 0.001)).verdict, Verdict::equivalent);
  EXPECT_EQ(read(tails, fan(6, 0.5, 0.01)).verdict, Verdict::slower);
  EXPECT_EQ(LookRule(tails).forecast(read(tails, fan(6, 0, 0.001))).runs, 96u);
}

TEST(Look, TheNoiseFloorWidensInQuadrature) {
  RuleOptions options;
  options.sys_sigma = 0.003;
  options.sys_k = 5;
  const auto v = fan(36, 0.03, 0.02);
  const Look plain = read({}, v), wide = read(options, v);
  const double q99 = 4.032142983557536;  // t(.995, 5)
  EXPECT_NEAR(*wide.hi99 - 0.03, std::hypot(*plain.hi99 - 0.03, q99 * 0.003), 1e-12);
  EXPECT_NEAR(0.03 - *wide.lo99, 0.03 - (0.03 - std::hypot(0.03 - *plain.lo99, q99 * 0.003)),
              1e-12);
  EXPECT_EQ(wide.p, plain.p);
}

TEST(Forecast, FollowsTheGap) {
  const LookRule rule{RuleOptions{}};
  Look look;
  look.n = 36;
  look.sigma = 0.05;
  look.estimate = 0;
  const auto near_zero = rule.forecast(look).runs;
  look.estimate = 0.012;  // nearer to the tolerance: more
  const auto near_edge = rule.forecast(look).runs;
  ASSERT_TRUE(near_zero && near_edge);
  EXPECT_LT(*near_zero, *near_edge);
  look.guard = true;
  EXPECT_GE(rule.forecast(look).runs.value_or(1000), *near_edge);
  look.guard = false;
  look.sigma = 5;
  EXPECT_FALSE(rule.forecast(look).runs);  // beyond 900
  look.sigma = 1e-9;
  EXPECT_EQ(rule.forecast(look).runs, 48u);  // at least one more look
  look.n = 900;
  EXPECT_FALSE(rule.forecast(look).runs);
}

TEST(Forecast, NamesTheFloor) {
  RuleOptions options;
  options.sys_sigma = 0.015;
  options.sys_k = 5;
  Look look;
  look.n = 36;
  look.sigma = 0.01;
  EXPECT_TRUE(LookRule(options).forecast(look).noise_floor);
  look.estimate = 0.2;  // far beyond: 0 can still be excluded
  EXPECT_FALSE(LookRule(options).forecast(look).noise_floor);
}

TEST(Schedule, LastLookWithin) {
  const struct {
    std::uint64_t runs;
    std::optional<std::uint32_t> look;
  } cases[] = {{0, std::nullopt}, {5, std::nullopt}, {6, 6},     {11, 6},
               {36, 36},          {59, 48},          {900, 900}, {100000, 900}};
  for (const auto& c : cases) EXPECT_EQ(last_look_within(c.runs), c.look) << c.runs;
}

}  // namespace
}  // namespace assay::verdict
