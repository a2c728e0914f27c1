// SPDX-License-Identifier: Apache-2.0
// The incremental test against the rule written out naively, and what must hold for any data.
#include "verdict/pair_test.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.hpp"
#include "stats/null_distribution.hpp"

namespace assay::verdict {
namespace {

struct Series {
  std::vector<double> a, b;
};

// Values about 7 with noise of every kind: ties (rounded), outliers, drift, unequal spread.
Series draw(Random& random, std::size_t n) {
  const double sd = std::pow(10, -3 + 2 * random.uniform());
  const double spread_b = random.below(4) == 0 ? 4 : 1;
  const double shift = random.below(2) == 0 ? 0 : 0.05 * random.normal();
  const double drift = random.below(2) == 0 ? 0 : 0.001;
  const double grid = random.below(3) == 0 ? 0.05 : 1e-9;
  const auto value = [&](double center, double width, std::size_t i) {
    const double tail = random.below(20) == 0 ? 0.5 * random.uniform() : 0;
    const double x =
        7 * std::exp(center + width * random.normal() + tail + drift * static_cast<double>(i));
    return std::max(1.0, std::round(x / grid)) * grid;
  };
  Series series;
  for (std::size_t i = 0; i < n; ++i) {
    series.a.push_back(value(0, sd, i));
    series.b.push_back(value(shift, sd * spread_b, i));
  }
  return series;
}

// rule.md section 2 and 3 for one look, from scratch, in O(n^2) and with the levels written out.
Look naive_look(const Series& s, std::size_t n, double tau, double alpha) {
  std::vector<double> v, same_a, same_b;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      if (i / 6 != j / 6) continue;
      v.push_back(std::log(s.b[j]) - std::log(s.a[i]));
      if (i < j) {
        same_a.push_back(std::fabs(std::log(s.a[i]) - std::log(s.a[j])));
        same_b.push_back(std::fabs(std::log(s.b[i]) - std::log(s.b[j])));
      }
    }
  }
  const auto middle = [](std::vector<double> x) {
    std::sort(x.begin(), x.end());
    return (x[(x.size() - 1) / 2] + x[x.size() / 2]) / 2;
  };
  std::sort(v.begin(), v.end());
  Look look;
  look.n = static_cast<std::uint32_t>(n);
  look.estimate = middle(v);
  const double sa = middle(same_a), sb = middle(same_b);
  look.guard = std::max(sa, sb) > 1e-12 && std::max(sa, sb) > (n <= 12 ? 3 : 2) * std::min(sa, sb);
  const double l99 = look.guard ? 0.00008 : n == 6 ? 0.00217 : 0.0008;
  const double l95 = look.guard ? 0.0011 : 0.0055;
  const auto& null = stats::pooled_count(n / 6);
  const auto bound = [&](double level, std::optional<double>& lo, std::optional<double>& hi) {
    int c = -1;
    while (null.cdf(static_cast<std::size_t>(c + 1)) <= level / 2) ++c;
    if (c < 0) return;
    lo = v[static_cast<std::size_t>(c)];
    hi = v[v.size() - 1 - static_cast<std::size_t>(c)];
  };
  bound(l99, look.lo99, look.hi99);
  bound(l95, look.lo95, look.hi95);
  std::size_t low = 0, high = 0;
  for (const double x : v) {
    low += x <= 1e-12;
    high += x >= -1e-12;
  }
  look.p = std::min(1.0, 2 * std::min(null.cdf(low), null.cdf(high)));
  look.q = std::min(1.0, 0.01 / l99 * look.p);
  const double edge = std::log1p(tau);
  if (look.lo99 && *look.lo99 > 1e-12 && look.q <= alpha) look.sign = Sign::slower;
  if (look.hi99 && *look.hi99 < -1e-12 && look.q <= alpha) look.sign = Sign::faster;
  if (look.lo95 && *look.hi95 <= edge + 1e-12 && *look.lo95 >= -edge - 1e-12)
    look.verdict = Verdict::equivalent;
  else if (look.sign == Sign::slower && look.estimate >= edge - 1e-12)
    look.verdict = Verdict::slower;
  else if (look.sign == Sign::faster && look.estimate <= -edge + 1e-12)
    look.verdict = Verdict::faster;
  return look;
}

TEST(PairTest, AgreesWithTheNaiveRuleAtEveryLook) {
  Random random(101);
  std::size_t decided = 0, looks = 0;
  for (int round = 0; round < 150; ++round) {
    RuleOptions options;
    options.tolerance = random.below(2) == 0 ? 0.02 : 0.005;
    options.alpha = random.below(2) == 0 ? 0.01 : 0.005;
    const Series s = draw(random, 60);
    const Decision found = decide(s.a, s.b, options);
    decided += found.verdict != Verdict::undecided;
    ASSERT_FALSE(found.looks.empty());
    for (std::size_t k = 0; k < found.looks.size(); ++k, ++looks) {
      const Look& look = found.looks[k];
      const Look expected = naive_look(s, kLooks[k], options.tolerance, options.alpha);
      ASSERT_EQ(look.n, expected.n);
      EXPECT_EQ(look.estimate, expected.estimate);
      EXPECT_EQ(look.lo99, expected.lo99);
      EXPECT_EQ(look.hi99, expected.hi99);
      EXPECT_EQ(look.lo95, expected.lo95);
      EXPECT_EQ(look.hi95, expected.hi95);
      EXPECT_EQ(look.guard, expected.guard);
      EXPECT_DOUBLE_EQ(look.p, expected.p);
      EXPECT_DOUBLE_EQ(look.q, expected.q);
      EXPECT_EQ(look.sign, expected.sign);
      EXPECT_EQ(look.verdict, expected.verdict);
      EXPECT_EQ(look.verdict.has_value(),
                k + 1 == found.looks.size() && found.verdict != Verdict::undecided);
    }
  }
  EXPECT_GT(decided, 50u);  // the data must exercise both
  EXPECT_LT(decided, 150u);
  EXPECT_GT(looks, 400u);
}

TEST(PairTest, BlockByBlockEqualsDecide) {
  Random random(102);
  for (int round = 0; round < 60; ++round) {
    const Series s = draw(random, 6 * (1 + random.below(34)));
    RuleOptions options;
    options.max_runs = random.below(2) == 0 ? 198 : 50;
    PairTest test(options);
    for (std::size_t i = 0; i < s.a.size(); i += 6)  // goes on after the decision
      test.add_block(std::span(s.a).subspan(i, 6), std::span(s.b).subspan(i, 6));
    const Decision whole = decide(s.a, s.b, options);
    EXPECT_EQ(test.verdict(), whole.verdict);
    EXPECT_EQ(test.reason(), whole.reason);
    EXPECT_EQ(test.reading(), whole.reading);
    EXPECT_EQ(test.looks().size(), whole.looks.size());
    EXPECT_EQ(test.runs(), s.a.size());
    std::vector<double> all;
    for (std::size_t i = 0; i < s.a.size(); ++i)
      for (std::size_t j = i / 6 * 6; j < i / 6 * 6 + 6; ++j)
        all.push_back(std::log(s.b[j]) - std::log(s.a[i]));
    std::sort(all.begin(), all.end());
    EXPECT_EQ(test.estimate_of_all(), 0.5 * (all[all.size() / 2 - 1] + all[all.size() / 2]));
  }
}

Verdict turned(Verdict v) {
  return v == Verdict::slower ? Verdict::faster : v == Verdict::faster ? Verdict::slower : v;
}

TEST(PairTest, SwappingTheSidesTurnsTheVerdict) {
  Random random(103);
  for (int round = 0; round < 80; ++round) {
    const Series s = draw(random, 96);
    const Decision ab = decide(s.a, s.b, {}), ba = decide(s.b, s.a, {});
    EXPECT_EQ(ba.verdict, turned(ab.verdict));
    EXPECT_EQ(ba.reason, ab.reason);
    EXPECT_EQ(ba.reading.runs, ab.reading.runs);
    EXPECT_EQ(ba.reading.p_seq, ab.reading.p_seq);
    EXPECT_EQ(ba.reading.more, ab.reading.more);
    EXPECT_NEAR(*ba.reading.estimate, -*ab.reading.estimate, 1e-12);
    if (ab.reading.lo99) {
      EXPECT_NEAR(*ba.reading.lo99, -*ab.reading.hi99, 1e-12);
    }
    if (ab.reading.tail_z) {
      EXPECT_NEAR(*ba.reading.tail_z, -*ab.reading.tail_z, 1e-12);
    }
  }
}

TEST(PairTest, UnitsDoNotMatter) {
  Random random(104);
  for (int round = 0; round < 40; ++round) {
    const Series s = draw(random, 60);
    Series scaled = s;
    for (double& x : scaled.a) x *= 1024;  // exact in binary
    for (double& x : scaled.b) x *= 1024;
    const Decision one = decide(s.a, s.b, {}), other = decide(scaled.a, scaled.b, {});
    EXPECT_EQ(one.verdict, other.verdict);
    EXPECT_EQ(one.reading.runs, other.reading.runs);
    EXPECT_NEAR(*one.reading.estimate, *other.reading.estimate, 1e-12);
    EXPECT_EQ(one.reading.p_seq, other.reading.p_seq);
  }
}

// Shuffling inside the sides of a block changes nothing: only the labels count.
TEST(PairTest, OrderInsideASideDoesNotMatter) {
  Random random(105);
  Series s = draw(random, 36);
  const Decision before = decide(s.a, s.b, {});
  for (std::size_t i = 0; i < 36; i += 6) {
    std::reverse(s.a.begin() + static_cast<std::ptrdiff_t>(i),
                 s.a.begin() + static_cast<std::ptrdiff_t>(i + 6));
    std::swap(s.b[i], s.b[i + 3]);
  }
  EXPECT_EQ(decide(s.a, s.b, {}).reading, before.reading);
}

TEST(PairTest, TooFew) {
  const std::vector<double> five(5, 1.0), eight(8, 1.0);
  const Decision none = decide({}, {}, {});
  EXPECT_EQ(none.verdict, Verdict::undecided);
  EXPECT_EQ(none.reason, Reason::too_few);
  EXPECT_EQ(none.reading.runs, 0u);
  EXPECT_EQ(none.reading.more, 6u);
  EXPECT_EQ(decide(five, eight, {}).reading.runs, 5u);
  RuleOptions capped;
  capped.max_runs = 5;
  EXPECT_EQ(decide(eight, eight, capped).reason, Reason::too_few);
  EXPECT_EQ(decide(eight, eight, capped).reading.runs, 8u);
  PairTest test{RuleOptions{}};
  EXPECT_TRUE(test.is_open());
  EXPECT_FALSE(test.estimate_of_all());
  EXPECT_EQ(test.reason(), Reason::too_few);
  EXPECT_EQ(test.reading().more, 6u);
}

TEST(PairTest, AValueWithoutLogarithmIsInvalid) {
  const std::vector<double> good(12, 2.0);
  for (const double bad : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    for (const std::size_t at : {std::size_t{0}, std::size_t{11}}) {
      auto b = good;
      b[at] = bad;
      const Decision decision = decide(good, b, {});
      EXPECT_EQ(decision.verdict, Verdict::invalid);
      EXPECT_EQ(decision.reason, Reason::non_positive);
      EXPECT_EQ(decision.reading.runs, 12u);
      EXPECT_FALSE(decision.reading.more || decision.reading.estimate);
      PairTest test{RuleOptions{}};
      test.add_block(std::span(good).first(6), std::span(b).first(6));
      test.add_block(std::span(good).last(6), std::span(b).last(6));
      EXPECT_EQ(test.verdict(), Verdict::invalid);
      EXPECT_EQ(test.reading(), decision.reading);
      EXPECT_FALSE(test.is_open() || test.estimate_of_all());
    }
  }
}

TEST(PairTest, TheFirstDecisionStays) {
  const std::vector<double> a(6, 1.0), slow(6, 1.5), fast(6, 0.5);
  PairTest test{RuleOptions{}};
  test.add_block(a, slow);
  ASSERT_EQ(test.verdict(), Verdict::slower);
  EXPECT_EQ(test.reason(), Reason::exact);
  const Reading frozen = test.reading();
  for (int i = 0; i < 3; ++i) test.add_block(a, fast);
  EXPECT_EQ(test.verdict(), Verdict::slower);
  EXPECT_EQ(test.reading(), frozen);
  EXPECT_EQ(test.runs(), 24u);
  EXPECT_NEAR(*test.estimate_of_all(), std::log(0.5), 1e-12);
}

TEST(PairTest, LooksOnlyAtTheScheduleAndBelowTheCap) {
  Random random(106);
  RuleOptions options;
  options.tolerance = 0.0001;
  options.max_runs = 100;
  PairTest test(options);
  for (int block = 0; block < 40; ++block) {
    std::vector<double> a, b;
    for (int i = 0; i < 6; ++i) {
      a.push_back(std::exp(0.3 * random.normal()));
      b.push_back(std::exp(0.3 * random.normal()));
    }
    test.add_block(a, b);
  }
  std::vector<std::uint32_t> sizes;
  for (const Look& look : test.looks()) sizes.push_back(look.n);
  EXPECT_EQ(sizes, (std::vector<std::uint32_t>{6, 12, 18, 24, 30, 36, 48, 60, 78, 96}));
  EXPECT_EQ(test.reading().runs, 96u);
}

// Equal sides, far too noisy for 2 %: the cross ratios are odd multiples of `step`, symmetric about
// `center`.
void add_wide_block(PairTest& test, double center, double step) {
  std::vector<double> a, b;
  for (const double k : {-5.0, -3.0, -1.0, 1.0, 3.0, 5.0}) a.push_back(std::exp(step * k));
  for (const double k : {-6.0, -4.0, -2.0, 2.0, 4.0, 6.0}) b.push_back(std::exp(center + step * k));
  test.add_block(a, b);
}

TEST(PairTest, FutileOnlyOnTwoLooksFrom36OnAndNearNothing) {
  PairTest noisy{RuleOptions{}}, beyond{RuleOptions{}}, quieter{RuleOptions{}};
  for (std::size_t block = 1; block <= 10; ++block) {
    add_wide_block(noisy, 0, 0.1);
    add_wide_block(beyond, 0.021, 0.1);  // as large as the tolerance: never given up
    EXPECT_EQ(noisy.is_futile(198), block >= 8) << block;  // looks at 36 and 48 runs
    EXPECT_FALSE(beyond.is_futile(198)) << block;
  }
  EXPECT_TRUE(noisy.is_open() && beyond.is_open());
  EXPECT_FALSE(noisy.reading().more);

  for (int block = 0; block < 8; ++block) add_wide_block(quieter, 0, 0.012);
  ASSERT_TRUE(quieter.is_open() && quieter.reading().more);
  const std::uint32_t more = *quieter.reading().more;
  EXPECT_TRUE(quieter.is_futile(50));
  EXPECT_FALSE(quieter.is_futile(std::max(more, 900u)));
}

TEST(PairTest, ADecidedTestIsNotFutile) {
  PairTest test{RuleOptions{}};
  for (int block = 0; block < 10; ++block) add_wide_block(test, 0, 1e-4);
  EXPECT_EQ(test.verdict(), Verdict::equivalent);
  EXPECT_FALSE(test.is_futile(0));
}

}  // namespace
}  // namespace assay::verdict
