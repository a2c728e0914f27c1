// SPDX-License-Identifier: Apache-2.0
#include "experiment/suite_run.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <set>

namespace assay::experiment {
namespace {

using Outcome = std::function<void(std::uint32_t unit, Trial& trial)>;

Plan suite_run_plan(std::uint32_t units, std::uint32_t rounds) {
  Plan plan;
  plan.kind = PlanKind::suite_run;
  plan.seed = 5;
  plan.arms = {Subject{.label = "suite", .argv = {"./b"}}};
  plan.metrics = {Metric{.name = "wall", .unit = "s"}, Metric{.name = "peak_mem", .unit = "B"}};
  plan.runs = rounds;
  plan.time_budget_s = 0;
  plan.suite = SuitePlan{.adapter = "gbench"};
  for (std::uint32_t u = 0; u < units; ++u)
    plan.suite->units.push_back({std::string(1, static_cast<char>('a' + u)),
                                 {std::string(1, static_cast<char>('a' + u)) + "/1"}});
  return plan;
}

// Every unit gives its number + 1 seconds an iteration, and takes a second.
void answer(const Plan& plan, Trial& trial) {
  for (std::uint32_t position = 0; position < trial.units.size(); ++position) {
    const std::uint32_t unit = trial.units[position];
    for (const std::string& id : plan.suite->units[unit].ids)
      trial.measurements.push_back(
          {.position = position, .id = id, .value = 1.0 + unit, .iterations = 100});
  }
}

struct Played {
  std::vector<Trial> trials;
  Conclusion conclusion;
};

Played play_suite(const Plan& plan, const Outcome& outcome, std::size_t stop_after = 100'000) {
  SuiteRun experiment(plan);
  std::vector<Entry> entries;
  Played played;
  for (;;) {
    const Step step = experiment.next(entries, 0);
    if (const auto* conclusion = std::get_if<Conclusion>(&step)) {
      played.conclusion = *conclusion;
      return played;
    }
    // A fresh experiment asks for the same: that is what resuming stands on.
    SuiteRun fresh(plan);
    const Step again = fresh.next(entries, 0);
    EXPECT_EQ(std::get<Job>(again), std::get<Job>(step));
    for (const Run& run : std::get<Job>(step).runs) {
      Trial trial{.arm = run.arm, .block = run.block, .slot = run.slot};
      trial.units = run.units;
      trial.duration = std::chrono::seconds(1);
      trial.values = {1.0, 1e6};
      answer(plan, trial);
      if (outcome) outcome(run.units.front(), trial);
      played.trials.push_back(trial);
      entries.emplace_back(std::move(trial));
      if (played.trials.size() == stop_after) entries.emplace_back(Stop{});
    }
  }
}

TEST(SuiteRunExperiment, ASuiteWithoutAnyBenchmarkIsNoSuccess) {
  Plan plan = suite_run_plan(2, 2);
  for (SuiteUnit& unit : plan.suite->units) unit.ids.clear();
  const Conclusion found = play_suite(plan, nullptr).conclusion;
  EXPECT_EQ(found.overall, Verdict::failed);
  EXPECT_EQ(found.failure, "no unit of the suite gave a benchmark");
}

TEST(SuiteRunExperiment, RunsEveryUnitOnceARoundInRandomOrder) {
  const Plan plan = suite_run_plan(8, 6);
  const Played played = play_suite(plan, nullptr);
  ASSERT_EQ(played.trials.size(), 48u);
  std::set<std::vector<std::uint32_t>> orders;
  for (std::uint32_t round = 1; round <= 6; ++round) {
    std::vector<std::uint32_t> order;
    for (const Trial& trial : played.trials)
      if (trial.block == round) order.push_back(trial.units.at(0));
    EXPECT_EQ(std::set<std::uint32_t>(order.begin(), order.end()).size(), 8u);
    orders.insert(order);
  }
  EXPECT_GT(orders.size(), 1u);
  EXPECT_EQ(played.conclusion.ended_by, EndedBy::runs_done);
  EXPECT_EQ(played.conclusion.overall, Verdict::equivalent);
  const SuiteRunFinding& found = *played.conclusion.suite_run;
  ASSERT_EQ(found.benchmarks.size(), 8u);
  EXPECT_EQ(found.benchmarks[3].id, "d/1");
  EXPECT_EQ(found.benchmarks[3].median, 4);
  EXPECT_EQ(found.benchmarks[3].lo, 4);
  EXPECT_EQ(found.benchmarks[3].ok, 6u);
  EXPECT_EQ(found.units[0].peak_memory, 1e6);
}

TEST(SuiteRunExperiment, OneProcessRunsThemAll) {
  Plan plan = suite_run_plan(3, 2);
  plan.suite->isolation = Isolation::suite;
  const Played played = play_suite(plan, nullptr);
  ASSERT_EQ(played.trials.size(), 2u);
  EXPECT_EQ(played.trials[0].units, (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(played.conclusion.suite_run->units.size(), 1u);
  EXPECT_EQ(played.conclusion.suite_run->benchmarks[2].ok, 2u);
}

TEST(SuiteRunExperiment, AUnitThatNeverWorksIsGivenUpAndTheOthersGoOn) {
  const Plan plan = suite_run_plan(3, 5);
  const Played played = play_suite(plan, [](std::uint32_t unit, Trial& trial) {
    if (unit != 1) return;
    trial.exit = {Ending::timed_out, 0};
    trial.measurements[0].status = MeasurementStatus::failed;
    trial.measurements[0].value.reset();
  });
  EXPECT_EQ(played.trials.size(), 2u * 5 + 2);
  EXPECT_EQ(played.conclusion.overall, Verdict::failed);
  const SuiteRunFinding& found = *played.conclusion.suite_run;
  EXPECT_TRUE(found.units[1].given_up);
  EXPECT_EQ(found.units[1].failed, 2u);
  EXPECT_EQ(found.benchmarks[1].failed, 2u);
  EXPECT_EQ(found.benchmarks[0].ok, 5u);
}

TEST(SuiteRunExperiment, MissingIdsFailWhateverTheExitStatus) {
  const Plan plan = suite_run_plan(2, 3);
  const Played played = play_suite(plan, [](std::uint32_t unit, Trial& trial) {
    if (unit == 1 && trial.block == 2) trial.measurements.clear();
    if (unit == 0 && trial.block == 3)
      trial.measurements.push_back({.id = "new", .value = 1.0, .message = "not in the listing"});
  });
  EXPECT_EQ(played.conclusion.overall, Verdict::failed);
  const SuiteRunFinding& found = *played.conclusion.suite_run;
  EXPECT_EQ(found.benchmarks[1].missing, 1u);
  EXPECT_EQ(found.benchmarks[1].ok, 2u);
  ASSERT_EQ(found.benchmarks.size(), 3u);
  EXPECT_EQ(found.benchmarks[2].id, "new");
  EXPECT_FALSE(found.benchmarks[2].listed);
  EXPECT_EQ(found.benchmarks[2].missing, 2u);
}

TEST(SuiteRunExperiment, DoubtsCarryTheirFigures) {
  const Plan plan = suite_run_plan(1, 6);
  const Played played = play_suite(plan, [](std::uint32_t, Trial& trial) {
    Measurement& one = trial.measurements[0];
    one.value = trial.block == 4 ? 2.0 : 1.0;
    one.iterations = 1;
    one.facts = {{"validators", trial.block < 3 ? 250000.0 : 16.0}};
  });
  const BenchmarkRow& row = played.conclusion.suite_run->benchmarks[0];
  EXPECT_EQ(row.doubts,
            (std::vector<std::string>{
                "its runs differ by 100 %", "n = 1: a single iteration is no measurement",
                "its workload changes: validators is 16 in one run and 250000 in another"}));
  EXPECT_EQ(played.conclusion.overall, Verdict::equivalent);
}

TEST(SuiteRunExperiment, EndsWithItsBudgetAndWhenStopped) {
  Plan plan = suite_run_plan(4, 6);
  plan.time_budget_s = 10;
  const Played cut = play_suite(plan, nullptr);
  EXPECT_EQ(cut.trials.size(), 10u);
  EXPECT_EQ(cut.conclusion.ended_by, EndedBy::time_budget);
  EXPECT_EQ(cut.conclusion.suite_run->rounds, 2u);
  const Played stopped = play_suite(suite_run_plan(4, 6), nullptr, 3);
  EXPECT_EQ(stopped.conclusion.ended_by, EndedBy::interrupted);
  EXPECT_EQ(stopped.conclusion.overall, Verdict::undecided);
  EXPECT_EQ(stopped.trials.size(), 3u);
}

// What took a second may take eleven before it is taken to hang.
TEST(SuiteRunExperiment, LimitsWhatIsKnownToBeShort) {
  const Plan plan = suite_run_plan(1, 2);
  SuiteRun experiment(plan);
  std::vector<Entry> entries;
  EXPECT_EQ(std::get<Job>(experiment.next(entries, 0)).runs[0].limit_s, 0);
  Trial trial{.block = 1};
  trial.units = {0};
  trial.duration = std::chrono::seconds(1);
  entries.emplace_back(trial);
  EXPECT_EQ(std::get<Job>(experiment.next(entries, 0)).runs[0].limit_s, 10);
}

}  // namespace
}  // namespace assay::experiment
