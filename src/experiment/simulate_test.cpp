// SPDX-License-Identifier: Apache-2.0
#include "experiment/simulate.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "experiment/calibration_rows.hpp"
#include "experiment/simulate_design.hpp"

namespace assay::experiment {
namespace {

// The plan reaches the experiment: nothing is decided before 12 runs a side in a family of two, nor
// are there more than the cap.
TEST(Simulate, DrivesTheExperimentOfThePlan) {
  ScenarioOptions wanted{.noises = {"ln10"}, .ratios = {1}};
  wanted.max_runs = 18;
  const Tally capped = tally_of(simulated_rows(wanted, 50).front(), "overall");
  EXPECT_EQ(capped.runs, 18 * capped.comparisons);
  EXPECT_EQ(capped.count(Verdict::undecided), capped.comparisons);
  const SimulatedRow slower = simulated_row("gates", "ln1", 1.05, 50);
  EXPECT_GE(tally_of(slower, "overall").runs, 12u * 50);
  const SimulatedRow tails = simulated_row("tails", "ln1", 1, 50);
  EXPECT_EQ(tally_of(tails, "overall").runs, 96u * 50);
}

TEST(Simulate, EveryPathHasConsistentRows) {
  const auto rows = simulated_rows({.paths = {"all"}, .ratios = {1, 1.05}}, 4);
  std::vector<std::string> seen;
  for (const SimulatedRow& row : rows) {
    if (seen.empty() || seen.back() != row.scenario.path) seen.push_back(row.scenario.path);
    ASSERT_FALSE(row.tallies.empty());
    for (const Tally& tally : row.tallies) {
      EXPECT_EQ(tally.comparisons, 4u) << row.scenario.path << " " << tally.what;
      std::uint64_t sum = 0;
      for (const std::uint64_t count : tally.verdicts) sum += count;
      EXPECT_EQ(sum, tally.wanted ? 4u : 0u) << row.scenario.path << " " << tally.what;
      EXPECT_EQ(tally.count(Verdict::invalid) + tally.count(Verdict::failed), 0u)
          << row.scenario.path << " " << tally.what;
      EXPECT_LE(tally.covered, tally.intervals);
    }
  }
  ASSERT_EQ(seen.size(), simulated_paths().size());
  for (std::size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i], simulated_paths()[i].name);
}

TEST(SimulateDesign, EveryExperimentRuns) {
  for (const auto& list :
       {ablate_scenarios({"ln1"}), bisect_scenarios({"ln1"}), sweep_scenarios({"ln1"}),
        timeline_scenarios({"ln1"}), suite_compare_scenarios({"ln1"}), audit_scenarios({"ln1"})}) {
    ASSERT_TRUE(list);
    for (std::size_t i = 0; i < 2 && i < list->size(); ++i) {
      const auto row = simulate((*list)[i], {.repetitions = 1, .on_progress = {}});
      ASSERT_TRUE(row);
      EXPECT_LE(row->right + row->wrong, 1u) << (*list)[i].detail;
    }
  }
}

TEST(Simulate, HigherIsBetterTurnsTheWordsRound) {
  EXPECT_EQ(tally_of(simulated_row("higher", "ln1", 1.05, 50), "rate").count(Verdict::slower), 50u);
  EXPECT_EQ(tally_of(simulated_row("higher", "ln1", 0.95, 50), "rate").count(Verdict::faster), 50u);
}

TEST(Simulate, WaitingIsSeenOnWallAlone) {
  const SimulatedRow row = simulated_row("waiting", "ln1", 1.05, 100);
  EXPECT_EQ(tally_of(row, "wall").right, 100u);
  EXPECT_EQ(tally_of(row, "cpu").wanted, Verdict::equivalent);
  EXPECT_GE(tally_of(row, "cpu").right, at_least(100, 0.99));
}

TEST(Simulate, DeterministicCountersAreNeverWrong) {
  const auto rows = simulated_rows({.paths = {"exact"}, .noises = {"ln0"}}, 20);
  ASSERT_EQ(rows.size(), 4u);
  const Verdict wanted[] = {Verdict::equivalent, Verdict::equivalent, Verdict::slower,
                            Verdict::slower};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].tallies[0].wanted, wanted[i]);
    EXPECT_EQ(rows[i].tallies[0].right, 20u);
    EXPECT_EQ(rows[i].tallies[0].runs, 2u * 20);
  }
}

TEST(Simulate, TheResultDoesNotDependOnThreadsOrOtherRows) {
  const ScenarioOptions both{.noises = {"ln3", "cpu_aa_shared"}, .ratios = {1.01}};
  const auto one = simulated_rows(both, 77, 1), five = simulated_rows(both, 77, 5);
  ASSERT_EQ(one.size(), 2u);
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_EQ(one[i].tallies, five[i].tallies);
  EXPECT_EQ(simulated_row("gates", "cpu_aa_shared", 1.01, 77).tallies, one[1].tallies);
  EXPECT_NE(simulated_rows(both, 77, 2, 2)[1].tallies, one[1].tallies) << "another seed";
}

TEST(Simulate, StopsWhenAskedAndTellsHowFarItIs) {
  const auto scenarios = make_scenarios({.noises = {"ln1"}, .ratios = {1}});
  ASSERT_TRUE(scenarios.has_value());
  std::atomic<bool> stop{false};
  std::uint64_t last = 0;
  SimulateOptions options;
  options.repetitions = 1'000'000'000;
  options.threads = 2;
  options.stop = &stop;
  options.on_progress = [&](std::uint64_t done) {
    EXPECT_GE(done, last);
    last = done;
    if (done > 100) stop = true;
  };
  EXPECT_FALSE(simulate(scenarios->front(), options).has_value());
  EXPECT_GT(last, 100u);
}

TEST(Scenarios, BadOptionsAreErrors) {
  const struct {
    ScenarioOptions options;
    const char* what;
    const char* hint;
  } cases[] = {
      {{.paths = {"sesions"}}, "no path is called 'sesions'", "did you mean 'sessions'?"},
      {{.noises = {"ln1", "hevy"}}, "no noise model is called 'hevy'", "did you mean 'heavy'?"},
      {{.ratios = {1, 0}},
       "a true ratio lies between 0.01 and 100, not at 0",
       "1.05 means that the candidate takes 5 % more"},
      {{.ratios = {std::nan("")}},
       "a true ratio lies between 0.01 and 100, not at nan",
       "1.05 means that the candidate takes 5 % more"}};
  for (const auto& c : cases) {
    const auto scenarios = make_scenarios(c.options);
    ASSERT_FALSE(scenarios.has_value()) << c.what;
    EXPECT_EQ(scenarios.error().what, c.what);
    EXPECT_EQ(scenarios.error().hint, c.hint);
  }
  EXPECT_FALSE(make_scenarios({.tolerance = 0}).has_value());
}

// Brown, Cai and DasGupta 2001 give the formula; the values are worked by hand from it.
TEST(RateInterval, IsWilsons) {
  const RateInterval none = rate_interval(0, 100), half = rate_interval(50, 100);
  EXPECT_EQ(none.lo, 0);
  EXPECT_NEAR(none.hi, 0.036994, 1e-6);
  EXPECT_NEAR(half.lo, 0.403832, 1e-6);
  EXPECT_NEAR(half.hi, 0.596168, 1e-6);
  EXPECT_EQ(rate_interval(7, 7).hi, 1);
}

}  // namespace
}  // namespace assay::experiment
