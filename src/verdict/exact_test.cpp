// SPDX-License-Identifier: Apache-2.0
#include "verdict/exact.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace assay::verdict {
namespace {

TEST(Exact, ConstantSides) {
  const struct {
    double a, b;
    Verdict verdict;
    Sign sign;
  } cases[] = {{1e6, 1e6, Verdict::equivalent, Sign::none},
               {1e6, 1.0005e6, Verdict::equivalent, Sign::slower},
               {1e6, 1.001e6, Verdict::equivalent, Sign::slower},  // exactly the tolerance
               {1e6, 1.0011e6, Verdict::slower, Sign::slower},
               {1e6, 0.99e6, Verdict::faster, Sign::faster}};
  for (const auto& c : cases) {
    const std::vector<double> a(2, c.a), b(2, c.b);
    const auto found = exact_verdict(a, b);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->verdict, c.verdict) << c.b;
    EXPECT_EQ(found->reason, Reason::exact);
    EXPECT_EQ(found->reading.sign, c.sign);
    EXPECT_EQ(found->reading.lo99, found->reading.hi99);
    EXPECT_NEAR(*found->reading.estimate, std::log(c.b / c.a), 1e-12);
    EXPECT_EQ(found->reading.runs, 2u);
    EXPECT_EQ(found->reading.p_seq, 1);
  }
}

TEST(Exact, OtherwiseTheStandardRuleIsUsed) {
  const std::vector<double> constant = {5, 5}, varies = {5, 6}, one = {5};
  EXPECT_FALSE(exact_verdict(constant, varies));
  EXPECT_FALSE(exact_verdict(varies, constant));
  EXPECT_FALSE(exact_verdict(one, constant));
  EXPECT_FALSE(exact_verdict({}, {}));
}

TEST(Exact, ZeroHasNoRatio) {
  const std::vector<double> zero = {0, 0}, five = {5, 5};
  EXPECT_EQ(exact_verdict(zero, five)->verdict, Verdict::invalid);
  EXPECT_EQ(exact_verdict(zero, zero)->reason, Reason::non_positive);
}

}  // namespace
}  // namespace assay::verdict
