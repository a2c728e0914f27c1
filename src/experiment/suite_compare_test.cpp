// SPDX-License-Identifier: Apache-2.0
#include "experiment/suite_compare.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>

#include "base/random.hpp"

namespace assay::experiment {
namespace {

// Units u0, u1, ... of two benchmarks each: "u0/x", "u0/y".
Plan suite_of(std::size_t units) {
  Plan plan;
  plan.kind = PlanKind::suite_compare;
  plan.seed = 11;
  plan.id_for_order = "suite";
  plan.time_budget_s = 0;
  plan.arms = {Subject{.label = "old", .argv = {"old"}}, Subject{.label = "new", .argv = {"new"}}};
  plan.metrics = {Metric{.name = "wall", .unit = "s"}, Metric{.name = "peak_mem", .unit = "B"}};
  plan.suite = SuitePlan{.adapter = "gbench"};
  for (std::size_t u = 0; u < units; ++u) {
    const std::string name = "u" + std::to_string(u);
    plan.suite->units.push_back({name, {name + "/x", name + "/y"}});
  }
  return plan;
}

// Every benchmark takes 1 ms +- 1 %, and what `change` makes of it.
class SuiteMachine {
 public:
  using Change = std::function<void(const Run& run, Trial& trial)>;
  explicit SuiteMachine(Change change = nullptr, double noise = 0.01)
      : change_(std::move(change)), noise_(noise) {}

  Trial run(const Run& run, const Plan& plan) {
    Trial trial{
        .arm = run.arm, .block = run.block, .slot = run.slot, .pad = run.pad, .warmup = run.warmup};
    trial.units = run.units;
    trial.values = {0.1, 1e6};
    trial.duration = std::chrono::milliseconds(100);
    for (std::uint32_t p = 0; p < run.units.size(); ++p)
      for (const std::string& id : plan.suite->units[run.units[p]].ids)
        trial.measurements.push_back(
            {.position = p, .id = id, .value = 0.001 * std::exp(noise_ * random_.normal())});
    if (change_) change_(run, trial);
    return trial;
  }

 private:
  Change change_;
  double noise_;
  Random random_{5};
};

Measurement* find_id(Trial& trial, const std::string& id) {
  for (Measurement& m : trial.measurements)
    if (m.id == id) return &m;
  return nullptr;
}

// `id` takes `ratio` as long in B.
SuiteMachine::Change slowed(const std::string& id, double ratio) {
  return [=](const Run& run, Trial& trial) {
    if (Measurement* m = find_id(trial, id); m != nullptr && run.arm == 1) *m->value *= ratio;
  };
}

Conclusion drive_suite(const Plan& plan, SuiteMachine machine, std::vector<Entry>* kept = nullptr) {
  SuiteCompare compare(plan);
  std::vector<Entry> entries;
  for (int step = 0; step < 100'000; ++step) {
    const Step next = compare.next(entries, 0);
    if (const auto* conclusion = std::get_if<Conclusion>(&next)) {
      if (kept != nullptr) *kept = entries;
      return *conclusion;
    }
    for (const Run& run : std::get<Job>(next).runs) entries.emplace_back(machine.run(run, plan));
  }
  ADD_FAILURE() << "it does not end";
  return {};
}

const SuiteCompareRow& row_named(const Conclusion& conclusion, const std::string& id) {
  for (const SuiteCompareRow& row : conclusion.suite_compare->rows)
    if (row.id == id) return row;
  ADD_FAILURE() << id;
  return conclusion.suite_compare->rows.front();
}

TEST(SuiteCompare, NamesTheBenchmarkThatBecameSlower) {
  const Conclusion found = drive_suite(suite_of(5), SuiteMachine(slowed("u3/y", 1.10)));
  EXPECT_EQ(found.ended_by, EndedBy::decided);
  EXPECT_EQ(found.overall, Verdict::slower);
  EXPECT_EQ(found.suite_compare->family, 10U);
  EXPECT_EQ(row_named(found, "u3/y").finding.verdict, Verdict::slower);
  EXPECT_NEAR(*row_named(found, "u3/y").finding.reading.estimate, std::log(1.10), 0.02);
  EXPECT_EQ(found.answer, "1 SLOWER, 9 EQUIVALENT");
  EXPECT_FALSE(found.withheld);
}

TEST(SuiteCompare, TheMeanStandsBesideAndIsNoVerdict) {
  const Conclusion found = drive_suite(suite_of(2), SuiteMachine(slowed("u0/x", 2), 0.001));
  EXPECT_EQ(found.suite_compare->mean_of, 4U);
  EXPECT_NEAR(*found.suite_compare->geometric_mean, std::pow(2.0, 0.25), 0.01);
}

// Six runs of either side in a block, one unit a block, labels that depend on unit and number
// alone.
TEST(SuiteCompare, BlocksAreOfOneUnit) {
  std::vector<Entry> entries;
  drive_suite(suite_of(3), SuiteMachine(), &entries);
  std::map<std::uint32_t, std::pair<int, int>> sides;
  std::map<std::uint32_t, std::set<std::vector<std::uint32_t>>> units;
  for (const Entry& entry : entries) {
    const Trial& trial = std::get<Trial>(entry);
    if (trial.warmup) {
      EXPECT_EQ(trial.block, 0U);
      continue;
    }
    ++(trial.arm == 0 ? sides[trial.block].first : sides[trial.block].second);
    units[trial.block].insert(trial.units);
  }
  ASSERT_GE(sides.size(), 3U);
  for (const auto& [block, count] : sides) {
    EXPECT_EQ(count, std::make_pair(6, 6));
    EXPECT_EQ(units[block].size(), 1U);
  }
}

TEST(SuiteCompare, ADecidedUnitIsNotRunAgain) {
  // u0 has no noise and is decided at once; u1 is noisy.
  std::vector<Entry> entries;
  const Plan plan = suite_of(2);
  drive_suite(plan,
              SuiteMachine(
                  [](const auto& run, Trial& trial) {
                    if (run.units[0] == 0)
                      for (Measurement& m : trial.measurements)
                        m.value = 0.001 * (run.arm == 1 ? 2 : 1);
                  },
                  0.05),
              &entries);
  std::size_t first = 0, second = 0;
  for (const Entry& entry : entries) ++(std::get<Trial>(entry).units[0] == 0 ? first : second);
  EXPECT_EQ(first, 2U + 24U) << "warm-up and twelve a side: with M = 4 the first word is at n = 12";
  EXPECT_GT(second, 2 * first);
}

TEST(SuiteCompare, TheSuiteInOneProcessIsOneGroup) {
  Plan plan = suite_of(3);
  plan.suite->isolation = Isolation::suite;
  std::vector<Entry> entries;
  const Conclusion found = drive_suite(plan, SuiteMachine(slowed("u2/x", 1.10)), &entries);
  EXPECT_EQ(row_named(found, "u2/x").finding.verdict, Verdict::slower);
  for (const Entry& entry : entries) EXPECT_EQ(std::get<Trial>(entry).units.size(), 3U);
  EXPECT_EQ(found.suite_compare->units.size(), 1U);
}

TEST(SuiteCompare, AControlThatMovesWithholdsAll) {
  Plan plan = suite_of(3);
  plan.suite->controls = {"u0/*"};
  const Conclusion found = drive_suite(plan, SuiteMachine([](const auto& run, Trial& trial) {
                                         for (Measurement& m : trial.measurements)
                                           if (run.arm == 1) *m.value *= 1.2;
                                       }));
  EXPECT_TRUE(found.withheld);
  EXPECT_EQ(found.suite_compare->family, 4U) << "controls are no part of the family";
  ASSERT_FALSE(found.warnings.empty());
  EXPECT_NE(found.warnings[0].text.find("u0/x moved"), std::string::npos);
}

TEST(SuiteCompare, ControlsThatStayAreQuiet) {
  Plan plan = suite_of(3);
  plan.suite->controls = {"u0/*", "nothing"};
  const Conclusion found = drive_suite(plan, SuiteMachine(slowed("u1/x", 1.1)));
  EXPECT_FALSE(found.withheld);
  EXPECT_EQ(found.overall, Verdict::slower);
  ASSERT_EQ(found.warnings.size(), 1U);
  EXPECT_EQ(found.warnings[0].text, "--control 'nothing' names no benchmark");
}

TEST(SuiteCompare, IdsOfOneSideAreNamed) {
  Plan plan = suite_of(2);
  plan.suite->units[0].ids.push_back("u0/gone");
  const Conclusion found =
      drive_suite(plan, SuiteMachine([](const auto& run, Trial& trial) {
                    if (Measurement* m = find_id(trial, "u0/gone"); m != nullptr && run.arm == 1)
                      *m = {.id = m->id, .status = MeasurementStatus::missing};
                    if (run.units[0] == 1 && run.arm == 1)
                      trial.measurements.push_back({.id = "u1/new", .value = 1});
                  }));
  EXPECT_EQ(row_named(found, "u0/gone").presence, Presence::only_baseline);
  EXPECT_EQ(row_named(found, "u0/gone").finding.verdict, Verdict::failed);
  EXPECT_EQ(row_named(found, "u1/new").presence, Presence::only_candidate);
  EXPECT_EQ(row_named(found, "u0/x").finding.verdict, Verdict::equivalent);
  EXPECT_EQ(found.overall, Verdict::failed) << "a benchmark that vanished is red";
}

TEST(SuiteCompare, WhatOnlyTheCandidateHasIsNoFailure) {
  const Conclusion found =
      drive_suite(suite_of(2), SuiteMachine([](const auto& run, Trial& trial) {
                    if (run.units[0] == 1 && run.arm == 1)
                      trial.measurements.push_back({.id = "u1/new", .value = 1});
                  }));
  EXPECT_EQ(found.overall, Verdict::equivalent);
}

TEST(SuiteCompare, ABenchmarkThatFailsLeavesTheOthers) {
  int count = 0;
  const Conclusion found = drive_suite(
      suite_of(2), SuiteMachine([&](const auto&, Trial& trial) {
        if (Measurement* m = find_id(trial, "u0/x"); m != nullptr && ++count == 9) {
          *m = {.id = m->id, .status = MeasurementStatus::failed, .message = "assertion"};
          trial.exit.code = 1;
        }
      }));
  const SuiteCompareRow& row = row_named(found, "u0/x");
  EXPECT_EQ(row.finding.verdict, Verdict::failed);
  EXPECT_NE(row.trouble.find("failed in run 7 ("), std::string::npos) << row.trouble;
  EXPECT_NE(row.trouble.find("assertion"), std::string::npos);
  EXPECT_EQ(row_named(found, "u0/y").finding.verdict, Verdict::equivalent);
}

TEST(SuiteCompare, AUnitThatCrashesLeavesTheOthers) {
  int count = 0;
  std::vector<Entry> entries;
  const Conclusion found =
      drive_suite(suite_of(3), SuiteMachine([&](const auto& run, Trial& trial) {
                    if (run.units[0] == 1 && run.arm == 1 && ++count == 4) {
                      trial.exit = {Ending::signalled, 11};
                      trial.measurements.clear();
                    }
                  }),
                  &entries);
  EXPECT_EQ(row_named(found, "u1/x").finding.verdict, Verdict::failed);
  EXPECT_EQ(row_named(found, "u1/y").trouble, "its process (B) was killed by signal 11");
  EXPECT_EQ(row_named(found, "u2/x").finding.verdict, Verdict::equivalent);
  EXPECT_EQ(count, 4) << "it is not run again";
}

TEST(SuiteCompare, AnotherWorkloadIsNoSpeedUp) {
  const Conclusion found =
      drive_suite(suite_of(2), SuiteMachine([](const auto& run, Trial& trial) {
                    for (Measurement& m : trial.measurements)
                      m.facts = {{"items_per_second", 1.0 / *m.value}};
                    Measurement* m = find_id(trial, "u0/x");
                    if (m == nullptr) return;
                    m->facts.push_back({"validators", run.arm == 0 ? 250000.0 : 4096.0});
                    if (run.arm == 1) *m->value /= 38;
                  }));
  const SuiteCompareRow& row = row_named(found, "u0/x");
  EXPECT_EQ(row.finding.verdict, Verdict::invalid);
  EXPECT_EQ(row.finding.reason, Reason::workload_differs);
  EXPECT_EQ(row.trouble, "validators is 250000 in A and 4096 in B");
  EXPECT_EQ(row_named(found, "u0/y").finding.verdict, Verdict::equivalent)
      << "a rate varies by itself: it is no workload";
  EXPECT_EQ(found.suite_compare->mean_of, 3U);
}

TEST(SuiteCompare, IdsThatChangeOrComeTwice) {
  int count = 0;
  const Conclusion found =
      drive_suite(suite_of(1), SuiteMachine([&](const auto&, Trial& trial) {
                    ++count;
                    if (count == 5) trial.measurements.push_back({.id = "u0/late", .value = 1});
                    if (count == 6) trial.measurements.push_back(trial.measurements[0]);
                  }));
  EXPECT_NE(row_named(found, "u0/late").trouble.find("its ids change"), std::string::npos);
  EXPECT_NE(row_named(found, "u0/x").trouble.find("came twice"), std::string::npos);
  EXPECT_EQ(row_named(found, "u0/y").finding.verdict, Verdict::equivalent);
}

TEST(SuiteCompare, TheBudgetEndsItAtALook) {
  Plan plan = suite_of(4);
  plan.time_budget_s = 30;  // 300 runs
  std::vector<Entry> entries;
  const Conclusion found = drive_suite(plan, SuiteMachine(nullptr, 0.2), &entries);
  EXPECT_EQ(found.ended_by, EndedBy::time_budget);
  EXPECT_EQ(found.overall, Verdict::undecided);
  EXPECT_LE(entries.size(), 300U);
  for (const SuiteCompareRow& row : found.suite_compare->rows)
    EXPECT_EQ(row.finding.all_runs, row.finding.reading.runs) << "no runs behind its last look";
}

// Twelve runs of either side of two units take 4.8 s, behind 0.4 s of warm-up.
TEST(SuiteCompare, ABudgetInWhichNoBlockFitsIsUsed) {
  Plan plan = suite_of(2);
  plan.time_budget_s = 1.5;
  std::vector<Entry> entries;
  const Conclusion found = drive_suite(plan, SuiteMachine(slowed("u1/y", 1.5)), &entries);
  EXPECT_EQ(found.ended_by, EndedBy::time_budget);
  EXPECT_GE(entries.size(), 13U) << "the budget is used";
  EXPECT_LE(entries.size(), 16U) << "and kept";
  for (const SuiteCompareRow& row : found.suite_compare->rows) {
    EXPECT_EQ(row.finding.verdict, Verdict::undecided);
    EXPECT_EQ(row.finding.reading.runs, 0U) << "no look, no word";
    EXPECT_GE(row.finding.all_runs, 1U) << row.id;
    EXPECT_NEAR(row.finding.baseline_median, 0.001, 0.0001);
  }
  EXPECT_NEAR(row_named(found, "u1/y").finding.candidate_median, 0.0015, 0.0001);
  ASSERT_EQ(found.warnings.size(), 1U);
  EXPECT_EQ(found.warnings[0].text,
            "12 runs a side of u0 and 1 more, with which a first word is possible, need about "
            "5 s; the budget is 2 s");
  SuiteCompare again(plan);
  const Step next = again.next(entries, 0);
  ASSERT_TRUE(std::holds_alternative<Conclusion>(next));
  EXPECT_TRUE(std::get<Conclusion>(next) == found) << "a replay concludes the same";
}

TEST(SuiteCompare, AReplayAsksForTheSame) {
  const Plan plan = suite_of(2);
  std::vector<Entry> entries;
  const Conclusion whole = drive_suite(plan, SuiteMachine(slowed("u0/x", 1.05), 0.02), &entries);
  for (std::size_t cut = 0; cut < entries.size(); cut += 7) {
    SuiteCompare again(plan);
    const Step next = again.next(std::span(entries).first(cut), 0);
    ASSERT_TRUE(std::holds_alternative<Job>(next));
    const auto& run = std::get<Job>(next).runs[0];
    const Trial& made = std::get<Trial>(entries[cut]);
    EXPECT_EQ(run.units, made.units);
    EXPECT_EQ(run.arm, made.arm);
    EXPECT_EQ(run.slot, made.slot);
  }
  SuiteCompare again(plan);
  const Step next = again.next(entries, 0);
  ASSERT_TRUE(std::holds_alternative<Conclusion>(next));
  EXPECT_TRUE(std::get<Conclusion>(next) == whole);
}

TEST(SuiteCompare, AStopIsAConclusionOfWhatIsThere) {
  const Plan plan = suite_of(2);
  std::vector<Entry> entries;
  drive_suite(plan, SuiteMachine(), &entries);
  entries.resize(20);
  entries.emplace_back(Stop{});
  SuiteCompare again(plan);
  const Step next = again.next(entries, 0);
  ASSERT_TRUE(std::holds_alternative<Conclusion>(next));
  EXPECT_EQ(std::get<Conclusion>(next).ended_by, EndedBy::interrupted);
}

TEST(SuiteCompare, ForeignTrialsAreDamage) {
  const Plan plan = suite_of(2);
  std::vector<Entry> entries;
  drive_suite(plan, SuiteMachine(), &entries);
  std::get<Trial>(entries[5]).units = {1, 1};
  SuiteCompare again(plan);
  const Step next = again.next(entries, 0);
  ASSERT_TRUE(std::holds_alternative<Conclusion>(next));
  EXPECT_EQ(std::get<Conclusion>(next).overall, Verdict::failed);
}

}  // namespace
}  // namespace assay::experiment
