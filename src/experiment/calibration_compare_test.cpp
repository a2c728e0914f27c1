// SPDX-License-Identifier: Apache-2.0
// The promises of docs/statistics.md, held against the shipped experiments with fixed seeds. Each
// bound is that of a binomial count: a true rate at the promise passes with probability .9999.
#include <gtest/gtest.h>

#include "experiment/calibration_rows.hpp"

namespace assay::experiment {
namespace {

TEST(Bounds, AreBinomial) {
  EXPECT_EQ(at_most(1000, 0.01), 24u);  // P(X > 24) = 4.2e-5, P(X > 23) = 1.09e-4
  EXPECT_EQ(at_least(1000, 0.99), 976u);
}

class FalseAlarms : public testing::TestWithParam<const char*> {};

TEST_P(FalseAlarms, StayBelowOnePerCent) {
  constexpr std::uint64_t kReps = 1000;
  const SimulatedRow row = simulated_row("gates", GetParam(), 1, kReps);
  const Tally& overall = tally_of(row, "overall");
  EXPECT_LE(overall.wrong, at_most(kReps, 0.01));
  for (const Tally& tally : row.tallies) {
    EXPECT_LE(tally.wrong, at_most(kReps, 0.01)) << tally.what;
    EXPECT_LE(tally.signs, at_most(kReps, 0.01)) << tally.what;
    EXPECT_GE(tally.covered, at_least(tally.intervals, 0.99)) << tally.what;
  }
}

INSTANTIATE_TEST_SUITE_P(Noise, FalseAlarms,
                         testing::Values("ln1", "ln3", "heavy", "drift", "cpu_aa_shared",
                                         "mem_aa_shared"),
                         [](const auto& noise) { return std::string(noise.param); });

TEST(Simulate, SeesFivePerCent) {
  for (const char* noise : {"ln1", "ln3", "heavy", "drift"}) {
    const SimulatedRow row = simulated_row("gates", noise, 1.05, 300);
    for (const char* what : {"wall", "cpu", "overall"}) {
      const Tally& tally = tally_of(row, what);
      EXPECT_EQ(tally.wanted, Verdict::slower);
      EXPECT_GE(tally.count(Verdict::slower), at_least(300, 0.99)) << noise << " " << what;
      EXPECT_EQ(tally.right, tally.count(Verdict::slower));
      EXPECT_LE(tally.wrong, at_most(300, 0.005)) << noise << " " << what;
    }
  }
}

TEST(Simulate, CallsEqualProgramsEquivalentWhereNoiseIsSmall) {
  const SimulatedRow row = simulated_row("gates", "ln1", 1, 300);
  EXPECT_EQ(tally_of(row, "overall").wanted, Verdict::equivalent);
  EXPECT_GE(tally_of(row, "overall").count(Verdict::equivalent), at_least(300, 0.99));
}

// On the tolerance itself EQUIVALENT would be wrong: at most 2.5 % for each metric.
TEST(Simulate, RarelyCallsTheToleranceEquivalent) {
  const SimulatedRow row = simulated_row("gates", "ln1", 1.02, 1000);
  for (const char* what : {"wall", "cpu"}) {
    EXPECT_EQ(tally_of(row, what).wanted, Verdict::slower);
    EXPECT_LE(tally_of(row, what).count(Verdict::equivalent), at_most(1000, 0.025)) << what;
    EXPECT_GE(tally_of(row, what).covered, at_least(tally_of(row, what).intervals, 0.99));
  }
}

TEST(Simulate, ACandidateThatEqualsTheBaselineIsNotBlamedForTheOther) {
  const SimulatedRow row = simulated_row("candidates", "ln1", 1.05, 300);
  EXPECT_GE(tally_of(row, "B cpu").count(Verdict::slower), at_least(300, 0.99));
  EXPECT_LE(tally_of(row, "C cpu").wrong, at_most(300, 0.01));
  EXPECT_EQ(tally_of(row, "C cpu").wanted, Verdict::equivalent);
  EXPECT_EQ(tally_of(row, "overall").wanted, Verdict::slower);
}

TEST(Simulate, AControlThatIsEqualWithholdsAtMostOnePerCent) {
  for (const char* noise : {"ln3", "cpu_aa_shared"}) {
    const auto rows = simulated_rows({.paths = {"control"}, .noises = {noise}, .ratios = {1}}, 600);
    ASSERT_EQ(rows.size(), 2u);
    EXPECT_LE(tally_of(rows[0], "withheld").wrong, at_most(600, 0.01)) << noise;
    EXPECT_LE(tally_of(rows[0], "A' cpu").wrong, at_most(600, 0.01)) << noise;
    EXPECT_EQ(tally_of(rows[1], "A' cpu").wanted, Verdict::slower) << noise;
    EXPECT_EQ(tally_of(rows[1], "overall").wanted, Verdict::equivalent) << "the control is no gate";
    EXPECT_EQ(tally_of(rows[1], "withheld").wrong, 0u) << "where it moved, withholding is right";
    EXPECT_GE(tally_of(rows[1], "withheld").right, 540u) << noise;
  }
}

TEST(Simulate, MakingTheSameComparisonFiveTimesClaimsAtMostOnePerCent) {
  for (const char* noise : {"ln3", "cpu_aa_shared"}) {
    const Tally any = tally_of(simulated_row("reruns", noise, 1, 400), "any of 5 claims");
    EXPECT_EQ(any.right + any.wrong, 400u);
    EXPECT_LE(any.wrong, at_most(400, 0.01)) << noise;
  }
  EXPECT_EQ(tally_of(simulated_row("reruns", "ln1", 1.05, 40), "any of 5 claims").right, 40u);
}

// Figures of the rule (section 5), which are rounded to a per cent.
TEST(Simulate, SessionsHaveTheStatedPower) {
  const struct {
    const char* noise;
    const char* detail;
    double power;
  } cases[] = {{"ln1", "5 a side, one gate", 0.93},
               {"ln1", "6 a side, one gate", 0.99},
               {"ln1.5", "8 a side, one gate", 0.97}};
  constexpr std::uint64_t kReps = 2000;
  for (const auto& c : cases) {
    const auto rows =
        simulated_rows({.paths = {"sessions"}, .noises = {c.noise}, .ratios = {1, 1.046}}, kReps);
    for (const SimulatedRow& row : rows) {
      if (row.scenario.detail != c.detail) continue;
      const Tally& wall = tally_of(row, "wall");
      if (row.scenario.ratio == 1) {
        EXPECT_LE(wall.wrong, at_most(kReps, 0.01)) << c.detail;
        continue;
      }
      EXPECT_GE(wall.count(Verdict::slower), at_least(kReps, c.power - 0.005)) << c.detail;
      EXPECT_LE(wall.count(Verdict::slower), at_most(kReps, c.power + 0.005)) << c.detail;
    }
  }
}

// A difference of layout between two builds of one program is not slower or faster: the floor
// widens the intervals until it is covered.
TEST(Simulate, AMeasuredFloorCoversLayout) {
  const auto rows = simulated_rows({.paths = {"floor"}, .noises = {"ln1"}, .ratios = {1}}, 300);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_LT(tally_of(rows[0], "cpu").covered, at_least(300, 0.99)) << "without a floor";
  EXPECT_GE(tally_of(rows[1], "cpu").covered, at_least(300, 0.98)) << "with it";
  EXPECT_LE(tally_of(rows[1], "overall").wrong, at_most(300, 0.01));
}

// One of four stages is slower: it is named, and the other three share one per cent.
TEST(Simulate, StagesAreAFamilyOfTheirOwn) {
  constexpr std::uint64_t kReps = 1000;
  const auto rows =
      simulated_rows({.paths = {"stages"}, .noises = {"ln3"}, .ratios = {1, 1.1}}, kReps);
  ASSERT_EQ(rows.size(), 2u);
  for (const SimulatedRow& row : rows)
    EXPECT_LE(tally_of(row, "a stage that did not change").wrong, at_most(kReps, 0.01));
  EXPECT_GE(tally_of(rows[1], "stage 1").count(Verdict::slower), at_least(kReps, 0.95));
}

}  // namespace
}  // namespace assay::experiment
