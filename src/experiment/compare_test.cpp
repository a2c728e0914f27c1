// SPDX-License-Identifier: Apache-2.0
#include "experiment/compare.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.hpp"
#include "model/words.hpp"

namespace assay::experiment {
namespace {

Plan two_commands() {
  Plan plan;
  plan.seed = 11;
  plan.id_for_order = "test";
  plan.arms = {Subject{.label = "old", .argv = {"old"}}, Subject{.label = "new", .argv = {"new"}}};
  plan.metrics = {Metric{.name = "wall", .unit = "s", .gating = true},
                  Metric{.name = "cpu", .unit = "s", .gating = true}};
  return plan;
}

// Runs of 0.1 s with `noise` relative spread; arm k takes ratio^k as long.
class Machine {
 public:
  Machine(double ratio, double noise, std::uint64_t seed = 5)
      : ratio_(ratio), noise_(noise), random_(seed) {}

  Trial run(const Run& run, const Plan& plan) {
    Trial trial{
        .arm = run.arm, .block = run.block, .slot = run.slot, .pad = run.pad, .warmup = run.warmup};
    trial.output.digest = "d";
    double first = 0;
    for (std::size_t m = 0; m < plan.metrics.size(); ++m) {
      const double value = 0.1 * std::pow(ratio_, run.arm) * std::exp(noise_ * random_.normal());
      if (m == 0) first = value;
      trial.values.push_back(value);
    }
    trial.duration = std::chrono::nanoseconds(std::llround(first * 1e9));
    return trial;
  }

 private:
  double ratio_, noise_;
  Random random_;
};

Conclusion drive(const Plan& plan, Machine machine, std::vector<Entry>* kept = nullptr) {
  Compare compare(plan);
  std::vector<Entry> entries;
  for (;;) {
    const Step step = compare.next(entries, 0);
    if (const auto* conclusion = std::get_if<Conclusion>(&step)) {
      if (kept) *kept = entries;
      return *conclusion;
    }
    for (const auto& run : std::get<Job>(step).runs) entries.emplace_back(machine.run(run, plan));
  }
}

TEST(Compare, StartsWithWarmUpThenBlocksOfTwelve) {
  const Plan plan = two_commands();
  Compare compare(plan);
  std::vector<Entry> entries;
  Machine machine(1, 0.01);
  Job job = std::get<Job>(compare.next(entries, 0));
  ASSERT_EQ(job.runs.size(), 2u);
  EXPECT_TRUE(job.runs[0].warmup);
  EXPECT_TRUE(std::holds_alternative<Wait>(compare.next(entries, 1)));
  for (const auto& run : job.runs) entries.emplace_back(machine.run(run, plan));
  job = std::get<Job>(compare.next(entries, 0));
  EXPECT_EQ(job.runs.size(), 12u);
  EXPECT_EQ(job.runs[0].block, 1u);
}

TEST(Compare, DecidesWhatIsThere) {
  const struct {
    double ratio, noise;
    Verdict expected;
  } cases[] = {{1, 0.01, Verdict::equivalent},
               {1.1, 0.01, Verdict::slower},
               {0.9, 0.01, Verdict::faster},
               {1.1, 0.03, Verdict::slower}};
  for (const auto& c : cases) {
    const Conclusion conclusion = drive(two_commands(), Machine(c.ratio, c.noise));
    EXPECT_EQ(conclusion.overall, c.expected) << c.ratio;
    EXPECT_EQ(conclusion.ended_by, EndedBy::decided);
    ASSERT_EQ(conclusion.findings.size(), 2u);
    for (const MetricFinding& found : conclusion.findings) {
      EXPECT_EQ(found.verdict, c.expected);
      EXPECT_GE(found.reading.runs, 12u);
      EXPECT_NEAR(found.baseline_median, 0.1, 0.01);
      EXPECT_NEAR(*found.reading.estimate, std::log(c.ratio), 0.03);
    }
  }
}

// The words of a metric where more is better are turned round inside the rule.
TEST(Compare, HigherIsBetterMeansSlowerIsWorse) {
  Plan plan = two_commands();
  plan.metrics = {Metric{.name = "rate", .unit = "1/s", .better = Better::higher, .gating = true}};
  const Conclusion conclusion = drive(plan, Machine(0.9, 0.01));
  EXPECT_EQ(conclusion.overall, Verdict::slower);
  EXPECT_GT(*conclusion.findings[0].reading.estimate, 0.0);
  EXPECT_NEAR(conclusion.findings[0].candidate_median, 0.09, 0.003);
}

TEST(Compare, AFreshExperimentOnAllEntriesAnswersTheSame) {
  for (const double noise : {0.01, 0.05}) {
    std::vector<Entry> entries;
    const Plan plan = two_commands();
    const Conclusion first = drive(plan, Machine(1.01, noise), &entries);
    Compare again(plan);
    EXPECT_EQ(std::get<Conclusion>(again.next(entries, 0)), first);
  }
}

// Cut after every number of entries: what is missing is asked for again, in the same order, and the
// conclusion is that of the uninterrupted experiment.
TEST(Compare, ResumesFromAnyPrefix) {
  const Plan plan = two_commands();
  std::vector<Entry> all;
  const Conclusion whole = drive(plan, Machine(1.05, 0.01), &all);
  for (std::size_t cut = 0; cut < all.size(); ++cut) {
    std::vector<Entry> entries(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(cut));
    Compare compare(plan);
    for (;;) {
      const Step step = compare.next(entries, 0);
      if (const auto* conclusion = std::get_if<Conclusion>(&step)) {
        EXPECT_EQ(*conclusion, whole) << "cut at " << cut;
        break;
      }
      for (const auto& run : std::get<Job>(step).runs) {
        const Trial& next = std::get<Trial>(all[entries.size()]);
        ASSERT_EQ(next.arm, run.arm);
        ASSERT_EQ(next.slot, run.slot);
        ASSERT_EQ(next.pad, run.pad);
        entries.emplace_back(next);
      }
    }
  }
}

TEST(Compare, AStopConcludesAndCanBeTakenBack) {
  const Plan plan = two_commands();
  std::vector<Entry> all;
  drive(plan, Machine(1.05, 0.03), &all);
  std::vector<Entry> entries(all.begin(), all.begin() + 20);
  entries.emplace_back(Stop{StopReason::interrupted, 1});
  Compare compare(plan);
  const auto conclusion = std::get<Conclusion>(compare.next(entries, 0));
  EXPECT_EQ(conclusion.ended_by, EndedBy::interrupted);
  EXPECT_EQ(conclusion.overall, Verdict::undecided);
  EXPECT_EQ(conclusion.findings[0].reading.runs, 6u);
}

TEST(Compare, AFailedRunEndsIt) {
  struct Case {
    Exit exit;
    bool ignore;
    bool fails;
    const char* text;
  } cases[] = {{{Ending::exited, 2}, false, true, "run 5 (B) exited with status 2"},
               {{Ending::exited, 2}, true, false, ""},
               {{Ending::signalled, 11}, true, true, "run 5 (B) was killed by signal 11"},
               {{Ending::timed_out, 0}, true, true, "run 5 (B) timed out after 3.00 s"}};
  for (const Case& c : cases) {
    Plan plan = two_commands();
    plan.run.ignore_exit = c.ignore;
    plan.run.timeout_s = 3;
    Compare compare(plan);
    Machine machine(1, 0.01);
    std::vector<Entry> entries;
    Step step = compare.next(entries, 0);
    for (int i = 0; i < 2; ++i) {
      for (const auto& run : std::get<Job>(step).runs) {
        Trial trial = machine.run(run, plan);
        if (entries.size() == 4) {
          trial.exit = c.exit;
        }
        entries.emplace_back(trial);
      }
      step = compare.next(entries, 0);
      if (std::holds_alternative<Conclusion>(step)) break;
    }
    const auto* conclusion = std::get_if<Conclusion>(&step);
    ASSERT_EQ(conclusion != nullptr, c.fails);
    if (!c.fails) continue;
    EXPECT_EQ(conclusion->overall, Verdict::failed);
    EXPECT_EQ(conclusion->failed_trial, 4u);
    std::string expected = c.text;
    expected.replace(expected.find('B'), 1, std::get<Trial>(entries[4]).arm == 0 ? "A" : "B");
    EXPECT_EQ(conclusion->failure, expected);
  }
}

TEST(Compare, AMetricThatIsMissingOrNotPositiveIsInvalid) {
  for (const bool missing : {true, false}) {
    const Plan plan = two_commands();
    Compare compare(plan);
    Machine machine(1, 0.01);
    std::vector<Entry> entries;
    for (;;) {
      const Step step = compare.next(entries, 0);
      if (const auto* conclusion = std::get_if<Conclusion>(&step)) {
        EXPECT_EQ(conclusion->overall, Verdict::invalid);
        EXPECT_EQ(conclusion->findings[1].reason,
                  missing ? Reason::missing_metric : Reason::non_positive);
        EXPECT_EQ(conclusion->findings[0].verdict, Verdict::undecided);
        break;
      }
      for (const auto& run : std::get<Job>(step).runs) {
        Trial trial = machine.run(run, plan);
        trial.values[1] = missing ? std::nullopt : std::optional(0.0);
        entries.emplace_back(trial);
      }
    }
  }
}

TEST(Compare, StopsAtTheBudgetOnlyWhereALookIsReached) {
  Plan plan = two_commands();
  plan.time_budget_s = 5;  // a block takes about 1.2 s
  const Conclusion conclusion = drive(plan, Machine(1.02, 0.03));
  EXPECT_EQ(conclusion.ended_by, EndedBy::time_budget);
  EXPECT_EQ(conclusion.findings[0].reading.runs, 24u - 6u);
  plan.time_budget_s = 1;
  const Conclusion none = drive(plan, Machine(1, 0.01));
  EXPECT_EQ(none.ended_by, EndedBy::time_budget);
  EXPECT_EQ(none.findings[0].reason, Reason::too_few);
}

TEST(Compare, StopsAtTheCap) {
  Plan plan = two_commands();
  plan.max_runs = 30;
  plan.time_budget_s = 0;
  const Conclusion conclusion = drive(plan, Machine(1.02, 0.05));
  EXPECT_EQ(conclusion.ended_by, EndedBy::max_runs);
  EXPECT_EQ(conclusion.overall, Verdict::undecided);
  EXPECT_EQ(conclusion.findings[0].reading.runs, 30u);
}

TEST(Compare, GivesUpOnWhatIsOutOfReach) {
  Plan plan = two_commands();
  plan.time_budget_s = 0;
  const Conclusion conclusion = drive(plan, Machine(1, 0.1, 4));
  EXPECT_EQ(conclusion.ended_by, EndedBy::futility);
  EXPECT_LT(conclusion.findings[0].reading.runs, 198u);
  EXPECT_GE(conclusion.findings[0].reading.runs, 48u);
}

TEST(Compare, AControlThatMovesWithholdsTheVerdicts) {
  Plan plan = two_commands();
  plan.arms.push_back(plan.arms[0]);
  plan.control = 2;
  const Conclusion moved =
      drive(plan, Machine(1.1, 0.01));  // the control arm takes 1.21 times as long
  EXPECT_TRUE(moved.withheld);
  EXPECT_EQ(moved.findings.size(), 4u);  // the control's too
  EXPECT_FALSE(drive(plan, Machine(1, 0.01)).withheld);
}

TEST(Compare, JudgesEveryCandidateAgainstTheBaseline) {
  Plan plan = two_commands();
  plan.arms.push_back(Subject{.label = "newer", .argv = {"newer"}});
  const Conclusion conclusion = drive(plan, Machine(1.05, 0.01));
  ASSERT_EQ(conclusion.findings.size(), 4u);
  EXPECT_EQ(conclusion.findings[0].arm, 1u);
  EXPECT_EQ(conclusion.findings[2].arm, 2u);
  EXPECT_NEAR(*conclusion.findings[2].reading.estimate, std::log(1.05 * 1.05), 0.03);
  EXPECT_EQ(conclusion.overall, Verdict::slower);
}

TEST(Compare, EarlierRunsOfTheSameComparisonCostPower) {
  Plan plan = two_commands();
  plan.metrics.resize(1);
  std::uint32_t once = 0, again = 0;
  Conclusion last;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    plan.earlier_p.clear();
    once += drive(plan, Machine(1.06, 0.03, seed)).findings[0].reading.runs;
    plan.earlier_p.assign(20, 0.5);
    last = drive(plan, Machine(1.06, 0.03, seed));
    again += last.findings[0].reading.runs;
  }
  EXPECT_GT(again, once);
  bool warned = false;
  for (const Warning& warning : last.warnings)
    warned = warned || warning.kind == WarningKind::reruns;
  EXPECT_TRUE(warned);
}

TEST(Compare, ExactCountersNeedTwoRunsASide) {
  Plan plan = two_commands();
  plan.run.exact = true;
  plan.metrics = {Metric{.name = "instructions", .unit = "1", .gating = true}};
  const Conclusion same = drive(plan, Machine(1, 0));
  EXPECT_EQ(same.overall, Verdict::equivalent);
  EXPECT_EQ(same.findings[0].reason, Reason::exact);
  EXPECT_EQ(same.findings[0].reading.runs, 2u);
  const Conclusion more = drive(plan, Machine(1.005, 0));
  EXPECT_EQ(more.overall, Verdict::slower);
  EXPECT_NEAR(more.findings[0].candidate_median / more.findings[0].baseline_median, 1.005, 1e-9);
  const Conclusion noisy = drive(plan, Machine(1.1, 0.01));
  EXPECT_EQ(noisy.overall, Verdict::slower);
  EXPECT_GE(noisy.findings[0].reading.runs, 6u);
}

TEST(CheckPlan, NamesWhatIsWrong) {
  Plan plan = two_commands();
  EXPECT_TRUE(check_plan(plan));
  plan.tolerance = 0;
  EXPECT_EQ(check_plan(plan).error().what,
            "the tolerance must lie above 0 % and below 100 %, not at 0 %");
  plan = two_commands();
  plan.arms[1].argv.clear();
  EXPECT_EQ(check_plan(plan).error().what, "command 2 is empty");
  plan = two_commands();
  for (Metric& metric : plan.metrics) metric.gating = false;
  EXPECT_EQ(check_plan(plan).error().what, "no metric gates, so there is nothing to decide");
  plan = two_commands();
  plan.max_runs = 5;
  EXPECT_EQ(check_plan(plan).error().what, "--max-runs must lie between 6 and 900, not at 5");
  plan = two_commands();
  plan.metrics.push_back(plan.metrics[0]);
  EXPECT_EQ(check_plan(plan).error().what, "metric 'wall' is given twice");
}

}  // namespace
}  // namespace assay::experiment
