// SPDX-License-Identifier: Apache-2.0
#include "verdict/builds.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/random.hpp"

namespace assay::verdict {
namespace {

TEST(Builds, Words) {
  const double edge = std::log1p(0.02);
  const struct {
    const char* name;
    std::vector<double> effects;
    Verdict verdict;
    Reason reason;
  } cases[] = {
      {"none", {}, Verdict::undecided, Reason::too_few},
      {"two", {0.1, 0.1}, Verdict::undecided, Reason::too_few},
      {"equal", {0, 0, 0}, Verdict::equivalent, Reason::exact},
      {"nearly equal", {0.001, -0.001, 0.0005}, Verdict::equivalent, Reason::decided},
      {"slower", {0.1, 0.11, 0.105, 0.095}, Verdict::slower, Reason::decided},
      {"faster", {-0.1, -0.11, -0.105, -0.095}, Verdict::faster, Reason::decided},
      {"sign only", {0.018, 0.0185, 0.0175, 0.024}, Verdict::undecided, Reason::borderline},
      {"noisy", {0.1, -0.1, 0.05}, Verdict::undecided, Reason::noisy},
      {"exactly the tolerance", {edge, edge, edge}, Verdict::slower, Reason::exact},
  };
  for (const auto& c : cases) {
    const Decision found = build_verdict(c.effects, {});
    EXPECT_EQ(found.verdict, c.verdict) << c.name;
    EXPECT_EQ(found.reason, c.reason) << c.name;
    EXPECT_EQ(found.reading.runs, c.effects.size()) << c.name;
  }
}

TEST(Builds, IntervalByHand) {
  const std::vector<double> effects = {0.01, 0.02, 0.03};
  const Reading found = build_verdict(effects, {}).reading;
  // mean .02, sd .01, t(.995, 2) = 9.9248, t(.975, 2) = 4.3027
  EXPECT_NEAR(*found.estimate, 0.02, 1e-15);
  EXPECT_NEAR(*found.hi99, 0.02 + 9.924843200918294 * 0.01 / std::sqrt(3.0), 1e-12);
  EXPECT_NEAR(*found.lo95, 0.02 - 4.302652729911275 * 0.01 / std::sqrt(3.0), 1e-12);
  EXPECT_NEAR(found.p_seq, 0.07417990022744853, 1e-12);
}

TEST(Builds, MoreIsNamedAndWouldDo) {
  Random random(401);
  std::vector<double> effects;
  for (int k = 0; k < 4; ++k) effects.push_back(0.05 + 0.04 * random.normal());
  const Reading found = build_verdict(effects, {}).reading;
  ASSERT_TRUE(found.more);
  EXPECT_GT(*found.more, 4u);
  EXPECT_LE(*found.more, 100u);
  EXPECT_EQ(build_verdict(std::vector<double>{0.1}, {}).reading.more, 3u);
  EXPECT_FALSE(build_verdict(std::vector<double>{3, -3, 2.9}, {}).reading.more);
}

TEST(Builds, AFamilysAlphaAsksForMore) {
  const std::vector<double> effects = {0.1, 0.12, 0.06, 0.11};
  const Decision alone = build_verdict(effects, {0.02, 0.01});
  ASSERT_EQ(alone.verdict, Verdict::slower);
  GroupOptions strict;
  strict.alpha = alone.reading.p_seq / 2;
  EXPECT_EQ(build_verdict(effects, strict).verdict, Verdict::undecided);
}

TEST(Sessions, PairsInOrder) {
  const std::vector<double> a = {1, 2, 4}, b = {1.1, 2.2, 4.4}, longer = {1.1, 2.2, 4.4, 99};
  const Decision found = session_verdict(a, b, {});
  EXPECT_EQ(found.verdict, Verdict::slower);
  EXPECT_NEAR(*found.reading.estimate, std::log(1.1), 1e-12);
  EXPECT_EQ(session_verdict(a, longer, {}).reading, found.reading);
  const std::vector<double> bad = {1.1, 0, 4.4};
  EXPECT_EQ(session_verdict(a, bad, {}).verdict, Verdict::invalid);
  EXPECT_EQ(session_verdict(bad, a, {}).reason, Reason::non_positive);
  EXPECT_EQ(session_verdict({}, {}, {}).reason, Reason::too_few);
}

// rule.md section 5: +4.6 % with a session sd of 1 %: 93 % SLOWER at five sessions a side, 99 % at
// six; no difference: at most 1 % claims.
TEST(Sessions, OperatingCharacteristics) {
  constexpr int kReps = 4000;
  Random random(402);
  const auto rate = [&](double ratio, std::size_t sessions) {
    int claims = 0;
    for (int r = 0; r < kReps; ++r) {
      std::vector<double> a, b;
      for (std::size_t k = 0; k < sessions; ++k) {
        a.push_back(std::exp(0.01 * random.normal()));
        b.push_back(ratio * std::exp(0.01 * random.normal()));
      }
      const Verdict verdict = session_verdict(a, b, {}).verdict;
      claims += verdict == Verdict::slower || verdict == Verdict::faster;
    }
    return claims / double{kReps};
  };
  EXPECT_NEAR(rate(1.046, 5), 0.928, 4 * std::sqrt(0.93 * 0.07 / kReps));
  EXPECT_NEAR(rate(1.046, 6), 0.991, 4 * std::sqrt(0.99 * 0.01 / kReps));
  EXPECT_LE(rate(1, 5), 0.01 + 4 * std::sqrt(0.0099 / kReps));
}

}  // namespace
}  // namespace assay::verdict
