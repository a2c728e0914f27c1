// SPDX-License-Identifier: Apache-2.0
#include "experiment/sweep.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "experiment/simulate_design.hpp"

namespace assay::experiment {
namespace {

using Levels = std::vector<std::string>;

Plan plan_of(std::vector<Levels> levels, std::uint32_t rounds = 24) {
  Design design;
  std::size_t arms = 1;
  const char* names[] = {"cap", "threads"};
  for (std::size_t p = 0; p < levels.size(); ++p) {
    arms *= levels[p].size();
    design.parameters.push_back({.name = names[p], .levels = levels[p]});
  }
  Plan plan = bare_design_plan(PlanKind::sweep, arms, std::move(design), false);
  plan.metrics.push_back(Metric{.name = "peak_mem", .unit = "B"});
  plan.runs = rounds;
  plan.seed = 7;
  return plan;
}

// A machine without noise to speak of: 1 s and 1 MiB, times what the arm does.
struct Machine {
  std::map<std::uint32_t, double> time = {}, memory = {};  // factors
  std::map<std::uint32_t, Exit> fails = {};
  std::map<std::uint32_t, double> gives = {};  // instead of a time
  double seconds = 1;
  std::vector<Entry> entries = {};
  std::vector<Run> asked = {};
  std::uint64_t count = 0;

  void run(const Run& run) {
    asked.push_back(run);
    Trial trial{
        .arm = run.arm, .block = run.block, .slot = run.slot, .pad = run.pad, .warmup = run.warmup};
    const auto factor = [&](const std::map<std::uint32_t, double>& of) {
      const auto found = of.find(run.arm);
      return found == of.end() ? 1.0 : found->second;
    };
    const double wobble = 1 + 1e-4 * static_cast<double>((++count * 7919) % 13);
    double value = seconds * factor(time) * wobble;
    trial.duration = std::chrono::nanoseconds(std::llround(1e9 * value));
    if (gives.contains(run.arm)) value = gives[run.arm];
    trial.values = {value, 1048576 * factor(memory)};
    if (std::isnan(value)) trial.values[0] = std::nullopt;
    if (fails.contains(run.arm)) trial.exit = fails[run.arm];
    entries.emplace_back(std::move(trial));
  }

  Conclusion play(const Plan& plan) {
    Sweep sweep(plan);
    for (int step = 0; step < 100'000; ++step) {
      const Step next = sweep.next(entries, 0);
      if (const auto* conclusion = std::get_if<Conclusion>(&next)) return *conclusion;
      const auto* job = std::get_if<Job>(&next);
      EXPECT_TRUE(job != nullptr && !job->runs.empty());
      if (job == nullptr || job->runs.empty()) return {};
      for (const Run& one : job->runs) run(one);
    }
    ADD_FAILURE() << "it does not end";
    return {};
  }
};

TEST(Sweep, NamesShapes) {
  const struct {
    std::map<std::uint32_t, double> time;
    Shape shape;
    std::optional<std::uint32_t> at;
    const char* answer;
  } cases[] = {
      {{}, Shape::flat, {}, "FLAT in cap"},
      {{{2, 1.1}, {3, 1.1}}, Shape::step, 2, "STEP at cap=4, +10 %"},
      {{{1, 0.9}, {2, 0.9}, {3, 0.9}}, Shape::step, 1, "STEP at cap=2, -10 %"},
      {{{1, 1.1}, {2, 1.2}, {3, 1.3}}, Shape::trend, {}, "TREND in cap, +30 % from 1 to 8"},
  };
  for (const auto& c : cases) {
    Machine machine{.time = c.time};
    const Conclusion found = machine.play(plan_of({{"1", "2", "4", "8"}}));
    ASSERT_TRUE(found.sweep);
    EXPECT_EQ(found.sweep->parameters[0].shape, c.shape) << c.answer;
    EXPECT_EQ(found.sweep->parameters[0].at, c.at) << c.answer;
    EXPECT_EQ(found.answer, c.answer);
    EXPECT_EQ(found.overall, Verdict::equivalent);
    EXPECT_EQ(found.ended_by, EndedBy::runs_done);
    EXPECT_EQ(machine.asked.size(), 4u * 25);  // a warm-up and 24 rounds
  }
}

TEST(Sweep, EveryRoundHasEveryLevelOnceInAnotherOrder) {
  Machine machine;
  machine.play(plan_of({{"1", "2", "4", "8"}}));
  std::map<std::uint32_t, std::vector<std::uint32_t>> rounds;
  for (const auto& run : machine.asked)
    if (!run.warmup) rounds[run.block].push_back(run.arm);
  EXPECT_EQ(rounds.size(), 24u);
  std::set<std::vector<std::uint32_t>> orders;
  for (auto& [block, arms] : rounds) {
    orders.insert(arms);
    std::ranges::sort(arms);
    EXPECT_EQ(arms, (std::vector<std::uint32_t>{0, 1, 2, 3}));
  }
  EXPECT_GT(orders.size(), 10u);
}

TEST(Sweep, ALevelThatFailsIsAResult) {
  const Exit bad{.how = Ending::exited, .code = 3}, hangs{.how = Ending::timed_out, .code = 0};
  Machine machine{.time = {{3, 1.1}}, .fails = {{1, bad}, {2, hangs}}};
  const Conclusion found = machine.play(plan_of({{"1", "2", "3", "4", "5"}}));
  ASSERT_TRUE(found.sweep);
  ASSERT_EQ(found.broken.size(), 2u);
  EXPECT_EQ(found.broken[0].arm, 1u);
  EXPECT_EQ(found.broken[0].why, "exited with status 3");
  EXPECT_EQ(found.sweep->levels.size(), 3u);
  EXPECT_EQ(found.sweep->rounds, 24u);
  EXPECT_EQ(found.overall, Verdict::equivalent);
}

TEST(Sweep, ALevelWithoutAValueIsAResult) {
  for (const double gives : {0.0, -1.0, std::nan("")}) {
    Machine machine{.gives = {{0, gives}}};
    const Conclusion found = machine.play(plan_of({{"1", "2", "3"}}));
    ASSERT_EQ(found.broken.size(), 1u);
    EXPECT_EQ(found.broken[0].arm, 0u);
    ASSERT_TRUE(found.sweep);
    EXPECT_EQ(found.sweep->levels.front().arm, 1u);  // the reference is the first that runs
    EXPECT_EQ(found.answer, "FLAT in cap");
  }
}

TEST(Sweep, FailsWhenFewerThanTwoLevelsRun) {
  const Exit bad{.how = Ending::signalled, .code = 11};
  Machine machine{.fails = {{0, bad}, {2, bad}}};
  const Conclusion found = machine.play(plan_of({{"1", "2", "3"}}));
  EXPECT_EQ(found.overall, Verdict::failed);
  EXPECT_EQ(found.failure, "only one level runs");
  EXPECT_EQ(found.broken.size(), 2u);
  EXPECT_FALSE(found.sweep);
}

TEST(Sweep, KillsALevelThatHangs) {
  Machine machine;
  machine.play(plan_of({{"1", "2"}}));
  EXPECT_EQ(machine.asked[0].limit_s, 0);         // nothing ran yet
  EXPECT_NEAR(machine.asked[1].limit_s, 100, 1);  // a first run may be far longer
  EXPECT_NEAR(machine.asked[2].limit_s, 10, 0.1);
}

TEST(Sweep, TheBudgetCutsBetweenRounds) {
  Plan plan = plan_of({{"1", "2"}});
  plan.time_budget_s = 20;
  Machine machine;
  const Conclusion found = machine.play(plan);
  EXPECT_EQ(found.ended_by, EndedBy::time_budget);
  EXPECT_EQ(found.sweep->rounds, 8u);  // 2 s of warm-up, then rounds of 2 s
  EXPECT_EQ(found.sweep->parameters[0].shape, Shape::undecided) << "fewer than 12 rounds";
  EXPECT_EQ(found.overall, Verdict::undecided);
}

TEST(Sweep, AnswersTheSameHoweverTheEntriesCome) {
  const Plan plan = plan_of({{"1", "2", "4"}});
  Machine machine{.time = {{2, 1.05}}, .fails = {{1, {.how = Ending::exited, .code = 1}}}};
  const Conclusion once = machine.play(plan);
  Sweep fresh(plan);
  const Step all = fresh.next(machine.entries, 0);
  ASSERT_TRUE(std::holds_alternative<Conclusion>(all));
  EXPECT_EQ(std::get<Conclusion>(all), once);
  // Interrupted behind any number of entries and asked again.
  for (std::size_t cut = 1; cut < machine.entries.size(); cut += 5) {
    Sweep resumed(plan);
    std::vector<Entry> entries(machine.entries.begin(),
                               machine.entries.begin() + static_cast<std::ptrdiff_t>(cut));
    entries.emplace_back(Stop{});
    EXPECT_TRUE(std::holds_alternative<Conclusion>(resumed.next(entries, 0)));
    entries.pop_back();
    const Step next = resumed.next(entries, 0);
    ASSERT_TRUE(std::holds_alternative<Job>(next));
    EXPECT_EQ(std::get<Job>(next).runs.front(), machine.asked[cut]);
  }
}

TEST(Sweep, KnowsMemoryFrontAndKnee) {
  Plan plan = plan_of({{"1", "2", "4", "8"}});
  plan.design->memory_budget = 5.5 * 1048576;
  Machine machine{.time = {{0, 2.0}, {1, 1.1}, {2, 1.05}, {3, 1.0}},
                  .memory = {{0, 2}, {1, 3}, {2, 5}, {3, 9}}};
  const auto found = machine.play(plan).sweep;
  EXPECT_EQ(found->pareto, (std::vector<std::uint32_t>{0, 1, 2, 3}));
  EXPECT_EQ(found->knee, 1u);
  ASSERT_TRUE(found->memory);
  EXPECT_NEAR(found->memory->base, 1048576, 1);
  EXPECT_NEAR(found->memory->slope, 1048576, 1);
  EXPECT_NEAR(found->memory->largest_residual, 0, 1);
  EXPECT_EQ(found->memory->largest_fit, 2u);
  EXPECT_NEAR(*found->memory->predicted_fit, 4.5, 1e-3);
}

TEST(Sweep, LeavesOutWhatIsBeaten) {
  Machine machine{.time = {{1, 0.8}, {2, 0.8}}, .memory = {{2, 2}}};
  EXPECT_EQ(machine.play(plan_of({{"1", "2", "4"}})).sweep->pareto,
            (std::vector<std::uint32_t>{1}));
}

TEST(Sweep, ReadsTwoParametersWithinRounds) {
  // arm = cap * 2 + threads; cap=4 costs 10 % at both.
  Machine machine{.time = {{4, 1.1}, {5, 1.1}}};
  const auto found = machine.play(plan_of({{"1", "2", "4"}, {"1", "8"}}));
  EXPECT_EQ(found.answer, "STEP at cap=4, +10 %; FLAT in threads");
  ASSERT_TRUE(found.sweep->interaction);
  EXPECT_LT(std::fabs(found.sweep->interaction->effect.value), 0.01);
}

TEST(Sweep, AParameterThatActsAtOneLevelOfTheOtherIsNotFlat) {
  // +3 % at one corner: on average 1.5 %, inside the tolerance.
  Machine machine{.time = {{3, 1.03}}};
  const auto found = machine.play(plan_of({{"1", "2"}, {"1", "8"}}));
  EXPECT_NE(found.sweep->parameters[0].shape, Shape::flat);
  EXPECT_NE(found.sweep->parameters[1].shape, Shape::flat);
  ASSERT_TRUE(found.sweep->interaction);
  EXPECT_EQ(found.sweep->interaction->arm, 3u);
  EXPECT_GT(*found.sweep->interaction->effect.lo, 0.02);
}

TEST(Sweep, TwoParametersWithABrokenCornerUseWhatIsComplete) {
  const Exit bad{.how = Ending::exited, .code = 1};
  Machine machine{.time = {{2, 1.1}, {3, 1.1}}, .fails = {{3, bad}}};
  const auto found = machine.play(plan_of({{"1", "2"}, {"1", "8"}}));
  EXPECT_EQ(found.sweep->parameters[0].shape, Shape::step);
  EXPECT_FALSE(found.sweep->interaction);
}

TEST(Sweep, HigherIsBetterIsTurned) {
  Plan plan = plan_of({{"1", "2"}});
  plan.metrics[0].better = Better::higher;
  Machine machine{.time = {{1, 1.1}}};
  const auto found = machine.play(plan).sweep;
  EXPECT_NEAR(found->parameters[0].effect.value, -std::log(1.1), 1e-3) << "more is better";
}

TEST(SweepSimulated, UnknownNoiseIsAnError) { EXPECT_FALSE(sweep_scenarios({"ln1", "nonsense"})); }

}  // namespace
}  // namespace assay::experiment
