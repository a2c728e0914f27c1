// SPDX-License-Identifier: Apache-2.0
#include "verdict/family.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace assay::verdict {
namespace {

FamilyMember member(Verdict verdict, double p, double estimate, double half) {
  FamilyMember m;
  m.verdict = verdict;
  m.reading.p_seq = p;
  m.reading.estimate = estimate;
  m.reading.lo99 = estimate - half;
  m.reading.hi99 = estimate + half;
  return m;
}

TEST(FamilyHolm, GivesBackWhatTheDecidedOnesLeave) {
  // Alone at .01 / 2 it was not enough; beside a decided one .007 is.
  const std::vector<FamilyMember> family = {member(Verdict::slower, 1e-6, 0.1, 0.02),
                                            member(Verdict::undecided, 0.007, 0.05, 0.04)};
  const auto found = family_holm(family);
  EXPECT_EQ(found[0].verdict, Verdict::slower);
  EXPECT_FALSE(found[0].by_holm);
  EXPECT_NEAR(found[0].adjusted_p, 2e-6, 1e-15);
  EXPECT_EQ(found[1].verdict, Verdict::slower);
  EXPECT_TRUE(found[1].by_holm);
  EXPECT_NEAR(found[1].adjusted_p, 0.007, 1e-15);
}

TEST(FamilyHolm, OnlyWhereSignAndSizeAllow) {
  const struct {
    const char* name;
    FamilyMember member;
    Verdict verdict;
  } cases[] = {
      {"claim", member(Verdict::undecided, 0.001, 0.05, 0.04), Verdict::slower},
      {"claim, other sign", member(Verdict::undecided, 0.001, -0.05, 0.04), Verdict::faster},
      {"too small", member(Verdict::undecided, 0.001, 0.01, 0.005), Verdict::undecided},
      {"sign open", member(Verdict::undecided, 0.001, 0.05, 0.06), Verdict::undecided},
      {"p too large", member(Verdict::undecided, 0.02, 0.05, 0.04), Verdict::undecided},
      {"equivalent stays", member(Verdict::equivalent, 0.001, 0.05, 0.04), Verdict::equivalent},
      {"invalid stays", member(Verdict::invalid, 0.001, 0.05, 0.04), Verdict::invalid},
  };
  for (const auto& c : cases) {
    const auto found = family_holm(std::vector<FamilyMember>{c.member});
    EXPECT_EQ(found[0].verdict, c.verdict) << c.name;
    EXPECT_EQ(found[0].by_holm, c.verdict != c.member.verdict) << c.name;
  }
  FamilyMember empty;  // no look at all
  empty.reading.p_seq = 0;
  EXPECT_EQ(family_holm(std::vector<FamilyMember>{empty})[0].verdict, Verdict::undecided);
  EXPECT_TRUE(family_holm({}).empty());
}

TEST(Reruns, MustSurviveAllOfThem) {
  const std::vector<double> two = {0.3, 0.8};
  EXPECT_TRUE(correct_for_reruns(0.004, {}, 2).stands);
  EXPECT_FALSE(correct_for_reruns(0.004, two, 2).stands);  // 3 * .004
  EXPECT_NEAR(correct_for_reruns(0.004, two, 2).adjusted_p, 0.012, 1e-15);
  EXPECT_TRUE(correct_for_reruns(0.002, two, 2).stands);
  // Earlier claims of the same comparison do not count against it twice.
  const std::vector<double> claims = {1e-6, 1e-7};
  EXPECT_NEAR(correct_for_reruns(0.009, claims, 2).adjusted_p, 0.009, 1e-15);
  // The smallest of M p-values is M times less surprising.
  const std::vector<double> smallest = {0.006};
  EXPECT_NEAR(correct_for_reruns(0.008, smallest, 2).adjusted_p, 0.016, 1e-15);
  EXPECT_NEAR(correct_for_reruns(0.008, smallest, 1).adjusted_p, 0.012, 1e-15);
}

TEST(MemoryTolerance, NeverBelow128KiB) {
  EXPECT_EQ(memory_tolerance(0.02, 1024.0 * 1024 * 1024), 0.02);
  EXPECT_DOUBLE_EQ(memory_tolerance(0.02, 1024.0 * 1024), 0.125);
}

}  // namespace
}  // namespace assay::verdict
