// SPDX-License-Identifier: Apache-2.0
#include "verdict/stored_baseline.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.hpp"

namespace assay::verdict {
namespace {

std::vector<Session> sessions(std::initializer_list<double> medians, std::uint32_t runs = 12) {
  std::vector<Session> result;
  for (const double m : medians) result.push_back({m, runs});
  return result;
}

TEST(StoredBaseline, ASingleSessionIsNeverEnough) {
  const auto found = judge_against_stored(sessions({0}), sessions({0.5}), {});
  EXPECT_EQ(found.decision.verdict, Verdict::undecided);
  EXPECT_EQ(found.decision.reason, Reason::unreplicated_baseline);
  EXPECT_EQ(found.decision.reading.more, 5u);
  EXPECT_FALSE(found.decision.reading.lo99);
  EXPECT_TRUE(found.luck.empty());
}

TEST(StoredBaseline, BelowFiveAnIntervalButNoWord) {
  const auto found =
      judge_against_stored(sessions({0, 0.01, 0.02, 0.01}), sessions({0.5, 0.5}), {});
  EXPECT_EQ(found.decision.reason, Reason::unreplicated_baseline);
  EXPECT_EQ(found.decision.verdict, Verdict::undecided);
  EXPECT_TRUE(found.decision.reading.lo99);
}

TEST(StoredBaseline, ShortSessionsDoNotCount) {
  auto stored = sessions({0, 0.01, 0.02, 0.01, 0.005});
  stored.back().runs = 11;
  EXPECT_EQ(judge_against_stored(stored, sessions({0.5}), {}).decision.reason,
            Reason::unreplicated_baseline);
  EXPECT_EQ(judge_against_stored(sessions({0, 0.01, 0.02, 0.01, 0.005}), sessions({0.5}, 6), {})
                .decision.reason,
            Reason::too_few);
}

TEST(StoredBaseline, IntervalByHand) {
  const auto found =
      judge_against_stored(sessions({0, 0.01, 0.02, 0.03, 0.04}), sessions({0.1, 0.12}), {});
  const double s = std::sqrt(0.00025);
  EXPECT_NEAR(found.deviation, s, 1e-15);
  EXPECT_NEAR(*found.decision.reading.estimate, 0.09, 1e-15);
  EXPECT_NEAR(*found.decision.reading.lo99, 0.09 - 4.604094871415897 * s * std::sqrt(0.2 + 0.5),
              1e-12);
  EXPECT_NEAR(found.luck.front(), -0.02 / s, 1e-12);
  EXPECT_EQ(found.luck.size(), 5u);
  EXPECT_EQ(found.decision.verdict, Verdict::slower);
}

TEST(StoredBaseline, FalseClaimsStayBelowOnePercent) {
  constexpr int kReps = 4000;
  Random random(501);
  int claims = 0;
  for (int r = 0; r < kReps; ++r) {
    std::vector<Session> stored, fresh;
    for (int k = 0; k < 5; ++k) stored.push_back({0.03 * random.normal(), 12});
    for (int k = 0; k < 2; ++k) fresh.push_back({0.03 * random.normal(), 12});
    const Verdict verdict = judge_against_stored(stored, fresh, {}).decision.verdict;
    claims += verdict == Verdict::slower || verdict == Verdict::faster;
  }
  EXPECT_LE(claims, kReps * 0.01 + 4 * std::sqrt(kReps * 0.01));
}

}  // namespace
}  // namespace assay::verdict
