// SPDX-License-Identifier: Apache-2.0
// One bisection at a time, on a machine that runs nothing; how often they are right is
// simulate_bisect.cpp's, and at the end here its promises with fixed seeds.
#include "experiment/bisect.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>

#include "base/random.hpp"
#include "experiment/simulate_design.hpp"

namespace assay::experiment {
namespace {

enum class Fate { runs, does_not_build, fails, hangs, prints_nothing };

struct Machine {
  Plan plan;
  std::function<double(std::uint32_t arm)> effect;
  std::function<Fate(std::uint32_t arm)> fate = [](std::uint32_t) { return Fate::runs; };
  double sigma = 0.01;
  double build_s = 0;
  std::uint64_t seed = 1;

  std::vector<Entry> entries = {};
  std::vector<std::uint32_t> arms_run = {};

  Conclusion play(std::size_t stop_after = SIZE_MAX) {
    const auto experiment = make_experiment(plan);
    Random random(seed);
    std::vector<bool> built(plan.arms.size(), false);
    for (std::size_t jobs = 0; jobs < 5000; ++jobs) {
      if (jobs == stop_after) entries.emplace_back(Stop{});
      const Step step = experiment->next(entries, 0);
      if (const auto* conclusion = std::get_if<Conclusion>(&step)) return *conclusion;
      EXPECT_TRUE(std::holds_alternative<Job>(step));
      (void)experiment->progress();
      for (const assay::Run& run : std::get<Job>(step).runs)
        if (!make(run, random, built)) break;
    }
    ADD_FAILURE() << "it does not end";
    return {};
  }

 private:
  bool make(const assay::Run& run, Random& random, std::vector<bool>& built) {
    const Fate here = fate(run.arm);
    if (plan.arms[run.arm].build && !built[run.arm]) {
      built[run.arm] = true;
      const bool ok = here != Fate::does_not_build;
      entries.emplace_back(Build{.arm = run.arm,
                                 .ok = ok,
                                 .duration = std::chrono::nanoseconds(std::llround(1e9 * build_s)),
                                 .reason = ok ? "" : "does not build"});
      if (!ok) return false;
    }
    Trial trial{.arm = run.arm, .block = run.block, .slot = run.slot, .warmup = run.warmup};
    const double value = 0.02 * std::exp(effect(run.arm) + sigma * random.normal());
    double seconds = value;
    if (here == Fate::fails) trial.exit = {Ending::exited, 3};
    if (here == Fate::hangs) {
      EXPECT_GT(run.limit_s, 0) << "nobody would end this run";
      trial.exit = {Ending::timed_out, 15};
      seconds = run.limit_s;
    }
    trial.values = {here == Fate::prints_nothing ? std::nullopt : std::optional(value)};
    trial.duration = std::chrono::nanoseconds(std::llround(1e9 * seconds));
    entries.emplace_back(trial);
    arms_run.push_back(run.arm);
    return here != Fate::fails && here != Fate::hangs;
  }
};

std::vector<Commit> line(std::uint32_t commits) {
  std::vector<Commit> all;
  for (std::uint32_t i = 0; i < commits; ++i) {
    all.push_back({.id = std::string(39, '0') + static_cast<char>('a' + i % 26)});
    if (i > 0) all.back().parents = {i - 1};
  }
  return all;
}

// A step of `size` at commit `at` of a straight line.
Machine step_machine(std::uint32_t commits, std::uint32_t at, double size, bool built = false) {
  Machine machine{.plan = bare_design_plan(PlanKind::bisect, 2 * commits,
                                           Design{.commits = line(commits)}, built),
                  .effect = {}};
  machine.plan.seed = 7;
  machine.effect = [=](std::uint32_t arm) {
    const std::uint32_t commit = arm < commits ? arm : commits - 1;
    return commit >= at && arm != commits + at ? size : 0;
  };
  return machine;
}

const Culprit& only_culprit(const Conclusion& conclusion) {
  static const Culprit kNone{.commit = 999};
  EXPECT_TRUE(conclusion.bisect.has_value()) << conclusion.failure;
  if (!conclusion.bisect || conclusion.bisect->culprits.size() != 1) {
    ADD_FAILURE() << "not one culprit: " << conclusion.answer;
    return kNone;
  }
  return conclusion.bisect->culprits.front();
}

TEST(Bisect, NamesTheCommitConfirmsItAndTriesTheRevert) {
  Machine machine = step_machine(100, 61, 0.08);
  const Conclusion conclusion = machine.play();
  const Culprit& culprit = only_culprit(conclusion);
  EXPECT_EQ(culprit.commit, 61u);
  EXPECT_EQ(culprit.set, (std::vector<std::uint32_t>{61}));
  EXPECT_GE(culprit.probability, 0.97);
  EXPECT_NEAR(culprit.effect.value, 0.08, 0.02);
  EXPECT_LT(*culprit.effect.lo, 0.08);
  ASSERT_TRUE(culprit.finding && culprit.reverted);
  const MetricFinding& confirmed = conclusion.findings[*culprit.finding];
  EXPECT_EQ(confirmed.verdict, Verdict::slower);
  EXPECT_EQ(confirmed.arm, 61u);
  const MetricFinding& reverted = conclusion.findings[*culprit.reverted];
  EXPECT_EQ(reverted.verdict, Verdict::faster);
  EXPECT_EQ(reverted.arm, 161u);
  EXPECT_EQ(conclusion.overall, Verdict::equivalent);
  EXPECT_EQ(conclusion.ended_by, EndedBy::decided);
  const BisectFinding& found = *conclusion.bisect;
  EXPECT_EQ(found.reproduced, Reproduced::yes);
  ASSERT_EQ(found.commits.size(), 100u);
  double sum = 0;
  for (const CommitFinding& commit : found.commits) sum += commit.probability;
  EXPECT_NEAR(sum, 1, 1e-6);
  EXPECT_GE(found.commits[0].runs, 6u);
  EXPECT_NEAR(found.commits[0].median, 0.02, 0.001);
  EXPECT_LT(found.runs, 40u);
}

// Same plan, same entries, same answer, however the calls are cut.
TEST(Bisect, ReplaysToTheSameAnswer) {
  Machine machine = step_machine(60, 20, 0.03, true);
  machine.fate = [](std::uint32_t arm) {
    return arm % 7 == 3 ? Fate::does_not_build : arm == 19 ? Fate::hangs : Fate::runs;
  };
  const Conclusion conclusion = machine.play();
  const auto again = make_experiment(machine.plan);
  const Step step = again->next(machine.entries, 0);
  ASSERT_TRUE(std::holds_alternative<Conclusion>(step));
  EXPECT_EQ(std::get<Conclusion>(step), conclusion);
  // After every prefix the same run comes next, whether it grew one by one or at once.
  const auto grown = make_experiment(machine.plan);
  for (std::size_t n = 0; n < machine.entries.size(); n += 5) {
    const auto fresh = make_experiment(machine.plan);
    const std::span<const Entry> prefix(machine.entries.data(), n);
    const Step a = grown->next(prefix, 0), b = fresh->next(prefix, 0);
    ASSERT_EQ(a.index(), b.index()) << n;
    if (const auto* job = std::get_if<Job>(&a)) {
      EXPECT_EQ(*job, std::get<Job>(b)) << n;
    }
  }
}

TEST(Bisect, AnInterruptedOneSaysHowFarItIs) {
  Machine machine = step_machine(100, 61, 0.03);
  const Conclusion conclusion = machine.play(9);
  EXPECT_EQ(conclusion.ended_by, EndedBy::interrupted);
  EXPECT_EQ(conclusion.bisect->reproduced, Reproduced::yes);
  EXPECT_GT(only_culprit(conclusion).set.size(), 1u);
  EXPECT_TRUE(conclusion.bisect->more_runs.has_value());
  Machine early = step_machine(100, 61, 0.03);
  EXPECT_EQ(early.play(1).bisect->reproduced, Reproduced::unknown);
}

TEST(Bisect, EqualEndsDoNotReproduce) {
  Machine machine = step_machine(100, 61, 0);
  const Conclusion conclusion = machine.play();
  EXPECT_EQ(conclusion.bisect->reproduced, Reproduced::no);
  EXPECT_EQ(conclusion.answer, "does not reproduce");
  EXPECT_TRUE(conclusion.bisect->culprits.empty());
  EXPECT_EQ(conclusion.bisect->runs, 100u);
  EXPECT_EQ(conclusion.overall, Verdict::equivalent);
}

TEST(Bisect, ASizeThatIsNotTheReportedOneDoesNotReproduceEither) {
  Machine machine = step_machine(100, 61, 0.05);
  machine.plan.design->expect = 1.3;
  const Conclusion conclusion = machine.play();
  EXPECT_EQ(conclusion.bisect->reproduced, Reproduced::no);
  EXPECT_EQ(conclusion.bisect->runs, 12u) << "it is clear at once";
  EXPECT_NEAR(conclusion.bisect->anchors.value, 0.05, 0.02);
  machine.entries.clear();
  machine.plan.design->expect = 1.06;
  EXPECT_EQ(only_culprit(machine.play()).commit, 61u);
}

TEST(Bisect, ABadEndThatIsFasterIsNotSearchedUnlessAsked) {
  Machine machine = step_machine(50, 30, -0.06);
  EXPECT_EQ(machine.play().bisect->reproduced, Reproduced::better);
  Machine asked = step_machine(50, 30, -0.06);
  asked.plan.design->expect = 0.95;
  const Conclusion conclusion = asked.play();
  EXPECT_EQ(only_culprit(conclusion).commit, 30u);
  EXPECT_EQ(conclusion.findings.front().verdict, Verdict::faster);
  Machine slower = step_machine(50, 30, 0.06);
  slower.plan.design->expect = 0.95;
  EXPECT_EQ(slower.play().bisect->reproduced, Reproduced::better) << "the other way round";
}

// A culprit between commits that give nothing is one of them, and nothing is left out.
TEST(Bisect, CommitsThatCannotBeMeasuredStayInTheSet) {
  Machine machine = step_machine(64, 31, 0.06, true);
  machine.fate = [](std::uint32_t arm) {
    const Fate fates[] = {Fate::does_not_build, Fate::hangs, Fate::fails, Fate::prints_nothing};
    return arm >= 29 && arm <= 32 ? fates[arm - 29] : Fate::runs;
  };
  const Conclusion conclusion = machine.play();
  const Culprit& culprit = only_culprit(conclusion);
  EXPECT_EQ(culprit.set, (std::vector<std::uint32_t>{29, 30, 31, 32, 33}));
  ASSERT_TRUE(culprit.finding.has_value()) << "28 against 33";
  EXPECT_EQ(conclusion.findings[*culprit.finding].arm, 33u);
  EXPECT_FALSE(culprit.reverted);
  EXPECT_EQ(conclusion.overall, Verdict::undecided);
  EXPECT_EQ(conclusion.answer, "one of 5 commits");
  const auto why = [&](std::uint32_t arm) {
    for (const BrokenArm& broken : conclusion.broken)
      if (broken.arm == arm) return broken.why;
    return std::string();
  };
  EXPECT_EQ(why(29), "does not build");
  EXPECT_TRUE(why(30).starts_with("timed out after"));
  EXPECT_EQ(why(31), "exited with status 3");
  EXPECT_EQ(why(32), "gave no value of cpu");
}

TEST(Bisect, AnEndThatCannotBeMeasuredEndsIt) {
  for (const std::uint32_t end_arm : {0u, 63u}) {
    Machine machine = step_machine(64, 31, 0.06, true);
    machine.fate = [=](std::uint32_t arm) {
      return arm == end_arm ? Fate::does_not_build : Fate::runs;
    };
    const Conclusion conclusion = machine.play();
    EXPECT_EQ(conclusion.overall, Verdict::failed);
    EXPECT_FALSE(conclusion.bisect);
    EXPECT_NE(conclusion.failure.find(end_arm == 0 ? "the good end" : "the bad end"),
              std::string::npos)
        << conclusion.failure;
  }
}

TEST(Bisect, ARevertThatDoesNotApplyIsNoHarm) {
  Machine machine = step_machine(64, 31, 0.06, true);
  machine.fate = [](std::uint32_t arm) { return arm >= 64 ? Fate::does_not_build : Fate::runs; };
  const Conclusion conclusion = machine.play();
  EXPECT_EQ(only_culprit(conclusion).commit, 31u);
  EXPECT_FALSE(only_culprit(conclusion).reverted);
  EXPECT_EQ(conclusion.broken.size(), 1u);
}

TEST(Bisect, TheShortestRangeNamesItsOnlyCommit) {
  const Conclusion conclusion = step_machine(2, 1, 0.05).play();
  EXPECT_EQ(only_culprit(conclusion).commit, 1u);
  EXPECT_FALSE(only_culprit(conclusion).reverted) << "the parent is the bad end without it";
}

TEST(Bisect, BuildsAndABudgetAreRespected) {
  Machine machine = step_machine(200, 77, 0.05, true);
  machine.build_s = 10;
  machine.plan.time_budget_s = 62;
  const Conclusion conclusion = machine.play();
  EXPECT_EQ(conclusion.ended_by, EndedBy::time_budget);
  EXPECT_EQ(conclusion.overall, Verdict::undecided);
  const Culprit& culprit = only_culprit(conclusion);
  EXPECT_GT(culprit.set.size(), 3u);
  EXPECT_TRUE(std::ranges::find(culprit.set, 77u) != culprit.set.end());
  double spent = 0;
  for (const Entry& entry : machine.entries)
    if (const auto* build = std::get_if<Build>(&entry))
      spent += std::chrono::duration<double>(build->duration).count();
  EXPECT_LE(spent, 60);
}

TEST(Bisect, APriorSavesRuns) {
  std::uint32_t without = 0, with = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Machine plain = step_machine(400, 300, 0.04);
    plain.seed = seed;
    without += plain.play().bisect->runs;
    Machine told = step_machine(400, 300, 0.04);
    told.seed = seed;
    for (const std::uint32_t likely : {100u, 300u, 350u})
      told.plan.design->commits[likely].weight = 100;
    const Conclusion conclusion = told.play();
    EXPECT_EQ(only_culprit(conclusion).commit, 300u);
    with += conclusion.bisect->runs;
  }
  EXPECT_LT(with, without - 20);
}

TEST(Bisect, TwoChangesAreBothNamedTheLargerFirst) {
  Machine machine = step_machine(120, 40, 0);
  machine.effect = [](std::uint32_t arm) {
    const std::uint32_t at = std::min(arm, 119u);
    return (at >= 40 && arm != 160 ? 0.03 : 0) + (at >= 90 && arm != 210 ? 0.07 : 0);
  };
  const Conclusion conclusion = machine.play();
  ASSERT_EQ(conclusion.bisect->culprits.size(), 2u) << conclusion.answer;
  EXPECT_EQ(conclusion.bisect->culprits[0].commit, 90u);
  EXPECT_EQ(conclusion.bisect->culprits[1].commit, 40u);
}

//   0 - 1 ------- 6 - 7      6 merges 2..5
//        \ 2-3-4-5 /
TEST(Bisect, GoesInsideAMerge) {
  for (const std::uint32_t at : {1u, 2u, 4u, 5u, 6u, 7u}) {
    std::vector<Commit> commits = line(8);
    commits[6].parents = {1, 5};
    commits[7].parents = {6};
    Machine machine{
        .plan = bare_design_plan(PlanKind::bisect, 16, Design{.commits = commits}, false),
        .effect = {}};
    machine.effect = [at](std::uint32_t arm) {
      const std::uint32_t commit = arm < 8 ? arm : 7;
      const bool contains = commit >= at && !(at == 1 && commit < 1);
      return contains && arm != 8 + at ? 0.06 : 0;
    };
    const Conclusion conclusion = machine.play();
    const Culprit& culprit = only_culprit(conclusion);
    EXPECT_EQ(culprit.commit, at);
    EXPECT_GE(culprit.probability, 0.95);
    double sum = 0;
    for (const CommitFinding& commit : conclusion.bisect->commits) sum += commit.probability;
    EXPECT_NEAR(sum, 1, 1e-6) << at;
  }
}

TEST(Bisect, MoreIsBetterForRates) {
  Machine machine = step_machine(64, 31, -0.06);  // a lower rate is worse
  machine.plan.metrics[0].better = Better::higher;
  const Conclusion conclusion = machine.play();
  const Culprit& culprit = only_culprit(conclusion);
  EXPECT_EQ(culprit.commit, 31u);
  EXPECT_NEAR(culprit.effect.value, 0.06, 0.02);
  EXPECT_NEAR(conclusion.bisect->commits[0].median, 0.02, 0.001);
}

}  // namespace
}  // namespace assay::experiment
