// SPDX-License-Identifier: Apache-2.0
// The promises of docs/statistics.md, held against the shipped experiments with fixed seeds. Each
// bound is that of a binomial count: a true rate at the promise passes with probability .9999.
#include "experiment/simulate.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace assay::experiment {
namespace {

double binomial_pmf(std::uint64_t k, std::uint64_t n, double p) {
  const double x = static_cast<double>(k), of = static_cast<double>(n);
  return std::exp(std::lgamma(of + 1) - std::lgamma(x + 1) - std::lgamma(of - x + 1) +
                  x * std::log(p) + (of - x) * std::log1p(-p));
}

// The smallest k with P(X > k) <= 1e-4 for X of n at rate p.
std::uint64_t at_most(std::uint64_t n, double p) {
  double below = 0;
  for (std::uint64_t k = 0;; ++k) {
    below += binomial_pmf(k, n, p);
    if (below >= 1 - 1e-4) return k;
  }
}

std::uint64_t at_least(std::uint64_t n, double p) { return n - at_most(n, 1 - p); }

TEST(Bounds, AreBinomial) {
  EXPECT_EQ(at_most(1000, 0.01), 24u);  // P(X > 24) = 4.2e-5, P(X > 23) = 1.09e-4
  EXPECT_EQ(at_least(1000, 0.99), 976u);
}

std::vector<SimulatedRow> rows_of(const ScenarioOptions& wanted, std::uint64_t repetitions,
                                  unsigned threads = 2, std::uint64_t seed = 1) {
  const auto scenarios = make_scenarios(wanted);
  EXPECT_TRUE(scenarios.has_value()) << scenarios.error().to_text();
  std::vector<SimulatedRow> rows;
  for (const Scenario& scenario : *scenarios) {
    SimulateOptions options;
    options.repetitions = repetitions;
    options.threads = threads;
    options.seed = seed;
    rows.push_back(*simulate(scenario, options));
  }
  return rows;
}

SimulatedRow row_of(const char* path, const char* noise, double ratio, std::uint64_t repetitions) {
  return rows_of({.paths = {path}, .noises = {noise}, .ratios = {ratio}}, repetitions).front();
}

const Tally& tally_of(const SimulatedRow& row, const std::string& what) {
  for (const Tally& tally : row.tallies)
    if (tally.what == what) return tally;
  ADD_FAILURE() << "no tally " << what;
  return row.tallies.front();
}

// --- what `assay compare A B` promises

class FalseAlarms : public testing::TestWithParam<const char*> {};

TEST_P(FalseAlarms, StayBelowOnePerCent) {
  constexpr std::uint64_t kReps = 1000;
  const SimulatedRow row = row_of("gates", GetParam(), 1, kReps);
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
    const SimulatedRow row = row_of("gates", noise, 1.05, 300);
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
  const SimulatedRow row = row_of("gates", "ln1", 1, 300);
  EXPECT_EQ(tally_of(row, "overall").wanted, Verdict::equivalent);
  EXPECT_GE(tally_of(row, "overall").count(Verdict::equivalent), at_least(300, 0.99));
}

// On the tolerance itself EQUIVALENT would be wrong: at most 2.5 % for each metric.
TEST(Simulate, RarelyCallsTheToleranceEquivalent) {
  const SimulatedRow row = row_of("gates", "ln1", 1.02, 1000);
  for (const char* what : {"wall", "cpu"}) {
    EXPECT_EQ(tally_of(row, what).wanted, Verdict::slower);
    EXPECT_LE(tally_of(row, what).count(Verdict::equivalent), at_most(1000, 0.025)) << what;
    EXPECT_GE(tally_of(row, what).covered, at_least(tally_of(row, what).intervals, 0.99));
  }
}

// The plan reaches the experiment: nothing is decided before 12 runs a side in a family of two, nor
// are there more than the cap.
TEST(Simulate, DrivesTheExperimentOfThePlan) {
  ScenarioOptions wanted{.noises = {"ln10"}, .ratios = {1}};
  wanted.max_runs = 18;
  const Tally capped = tally_of(rows_of(wanted, 50).front(), "overall");
  EXPECT_EQ(capped.runs, 18 * capped.comparisons);
  EXPECT_EQ(capped.count(Verdict::undecided), capped.comparisons);
  const SimulatedRow slower = row_of("gates", "ln1", 1.05, 50);
  EXPECT_GE(tally_of(slower, "overall").runs, 12u * 50);
  const SimulatedRow tails = row_of("tails", "ln1", 1, 50);
  EXPECT_EQ(tally_of(tails, "overall").runs, 96u * 50);
}

// --- the other paths

TEST(Simulate, EveryPathHasConsistentRows) {
  const auto rows = rows_of({.paths = {"all"}, .ratios = {1, 1.05}}, 4);
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

TEST(Simulate, HigherIsBetterTurnsTheWordsRound) {
  EXPECT_EQ(tally_of(row_of("higher", "ln1", 1.05, 50), "rate").count(Verdict::slower), 50u);
  EXPECT_EQ(tally_of(row_of("higher", "ln1", 0.95, 50), "rate").count(Verdict::faster), 50u);
}

TEST(Simulate, ACandidateThatEqualsTheBaselineIsNotBlamedForTheOther) {
  const SimulatedRow row = row_of("candidates", "ln1", 1.05, 300);
  EXPECT_GE(tally_of(row, "B cpu").count(Verdict::slower), at_least(300, 0.99));
  EXPECT_LE(tally_of(row, "C cpu").wrong, at_most(300, 0.01));
  EXPECT_EQ(tally_of(row, "C cpu").wanted, Verdict::equivalent);
  EXPECT_EQ(tally_of(row, "overall").wanted, Verdict::slower);
}

TEST(Simulate, WaitingIsSeenOnWallAlone) {
  const SimulatedRow row = row_of("waiting", "ln1", 1.05, 100);
  EXPECT_EQ(tally_of(row, "wall").right, 100u);
  EXPECT_EQ(tally_of(row, "cpu").wanted, Verdict::equivalent);
  EXPECT_GE(tally_of(row, "cpu").right, at_least(100, 0.99));
}

TEST(Simulate, AControlThatIsEqualWithholdsAtMostOnePerCent) {
  for (const char* noise : {"ln3", "cpu_aa_shared"}) {
    const auto rows = rows_of({.paths = {"control"}, .noises = {noise}, .ratios = {1}}, 600);
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
    const Tally any = tally_of(row_of("reruns", noise, 1, 400), "any of 5 claims");
    EXPECT_EQ(any.right + any.wrong, 400u);
    EXPECT_LE(any.wrong, at_most(400, 0.01)) << noise;
  }
  EXPECT_EQ(tally_of(row_of("reruns", "ln1", 1.05, 40), "any of 5 claims").right, 40u);
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
        rows_of({.paths = {"sessions"}, .noises = {c.noise}, .ratios = {1, 1.046}}, kReps);
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

TEST(Simulate, DeterministicCountersAreNeverWrong) {
  const auto rows = rows_of({.paths = {"exact"}, .noises = {"ln0"}}, 20);
  ASSERT_EQ(rows.size(), 4u);
  const Verdict wanted[] = {Verdict::equivalent, Verdict::equivalent, Verdict::slower,
                            Verdict::slower};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].tallies[0].wanted, wanted[i]);
    EXPECT_EQ(rows[i].tallies[0].right, 20u);
    EXPECT_EQ(rows[i].tallies[0].runs, 2u * 20);
  }
}

// A difference of layout between two builds of one program is not slower or faster: the floor
// widens the intervals until it is covered.
TEST(Simulate, AMeasuredFloorCoversLayout) {
  const auto rows = rows_of({.paths = {"floor"}, .noises = {"ln1"}, .ratios = {1}}, 300);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_LT(tally_of(rows[0], "cpu").covered, at_least(300, 0.99)) << "without a floor";
  EXPECT_GE(tally_of(rows[1], "cpu").covered, at_least(300, 0.98)) << "with it";
  EXPECT_LE(tally_of(rows[1], "overall").wrong, at_most(300, 0.01));
}

// One of four stages is slower: it is named, and the other three share one per cent.
TEST(Simulate, StagesAreAFamilyOfTheirOwn) {
  constexpr std::uint64_t kReps = 1000;
  const auto rows = rows_of({.paths = {"stages"}, .noises = {"ln3"}, .ratios = {1, 1.1}}, kReps);
  ASSERT_EQ(rows.size(), 2u);
  for (const SimulatedRow& row : rows)
    EXPECT_LE(tally_of(row, "a stage that did not change").wrong, at_most(kReps, 0.01));
  EXPECT_GE(tally_of(rows[1], "stage 1").count(Verdict::slower), at_least(kReps, 0.95));
}

// --- the machinery

TEST(Simulate, TheResultDoesNotDependOnThreadsOrOtherRows) {
  const ScenarioOptions both{.noises = {"ln3", "cpu_aa_shared"}, .ratios = {1.01}};
  const auto one = rows_of(both, 77, 1), five = rows_of(both, 77, 5);
  ASSERT_EQ(one.size(), 2u);
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_EQ(one[i].tallies, five[i].tallies);
  EXPECT_EQ(row_of("gates", "cpu_aa_shared", 1.01, 77).tallies, one[1].tallies);
  EXPECT_NE(rows_of(both, 77, 2, 2)[1].tallies, one[1].tallies) << "another seed";
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
