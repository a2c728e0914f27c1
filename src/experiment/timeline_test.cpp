// SPDX-License-Identifier: Apache-2.0
#include "experiment/timeline.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "experiment/simulate_design.hpp"

namespace assay::experiment {
namespace {

Plan plan_of(std::uint32_t commits) {
  Design design;
  for (std::uint32_t i = 0; i < commits; ++i)
    design.commits.push_back(
        {.id = std::string(39, '0') + static_cast<char>('a' + i),
         .parents = i == 0 ? std::vector<std::uint32_t>() : std::vector<std::uint32_t>{i - 1}});
  Plan plan = bare_design_plan(PlanKind::timeline, commits, std::move(design), true);
  plan.metrics.push_back(Metric{.name = "peak_mem", .unit = "B"});
  plan.runs = kTimelineRounds;
  plan.seed = 7;
  return plan;
}

Conclusion play(const Plan& plan, const std::map<std::uint32_t, double>& time,
                const std::map<std::uint32_t, double>& memory = {},
                const std::map<std::uint32_t, std::string>& unbuilt = {}) {
  Timeline timeline(plan);
  std::vector<Entry> entries;
  std::map<std::uint32_t, bool> built;
  std::uint64_t count = 0;
  const auto factor = [](const std::map<std::uint32_t, double>& of, std::uint32_t arm) {
    const auto found = of.find(arm);
    return found == of.end() ? 1.0 : found->second;
  };
  for (int step = 0; step < 10'000; ++step) {
    const Step next = timeline.next(entries, 0);
    if (const auto* conclusion = std::get_if<Conclusion>(&next)) return *conclusion;
    for (const auto& run : std::get<Job>(next).runs) {
      if (!built[run.arm]) {
        built[run.arm] = true;
        const bool ok = !unbuilt.contains(run.arm);
        entries.emplace_back(
            Build{.arm = run.arm, .ok = ok, .reason = ok ? "" : unbuilt.at(run.arm)});
        if (!ok) continue;
      }
      const double wobble = 1 + 1e-3 * static_cast<double>((++count * 7919) % 13);
      Trial trial{.arm = run.arm,
                  .block = run.block,
                  .slot = run.slot,
                  .pad = run.pad,
                  .warmup = run.warmup};
      trial.values = {factor(time, run.arm) * wobble,
                      1048576 * factor(memory, run.arm) * (1 + 1e-4 * (wobble - 1))};
      trial.duration = std::chrono::seconds(1);
      entries.emplace_back(std::move(trial));
    }
  }
  ADD_FAILURE() << "it does not end";
  return {};
}

TEST(Timeline, MarksStepsAndWhatUndidThem) {
  const Conclusion found = play(plan_of(6), {{2, 1.1}, {3, 1.1}}, {{4, 1.5}, {5, 1.5}});
  ASSERT_TRUE(found.timeline);
  const auto& commits = found.timeline->commits;
  ASSERT_EQ(commits.size(), 6u);
  for (std::uint32_t i = 0; i < 6; ++i) {
    EXPECT_EQ(commits[i].step, i == 2 || i == 4) << i;
    EXPECT_EQ(commits[i].memory_step, i == 4) << i;
  }
  EXPECT_EQ(commits[2].undone_by, 4u);
  EXPECT_FALSE(commits[4].undone_by);
  EXPECT_NEAR(commits[2].to_parent.value, std::log(1.1), 0.01);
  EXPECT_NEAR(commits[3].to_first.effect.value, std::log(1.1), 0.01);
  ASSERT_TRUE(commits[2].step_effect && commits[4].step_effect);
  EXPECT_NEAR(commits[2].step_effect->value, std::log(1.1), 0.01);
  EXPECT_NEAR(commits[4].step_effect->value, -std::log(1.1), 0.01);
  EXPECT_FALSE(commits[3].step_effect);
  ASSERT_TRUE(commits[4].memory_step_effect);
  EXPECT_NEAR(commits[4].memory_step_effect->value, std::log(1.5), 0.01);
  EXPECT_FALSE(commits[2].memory_step_effect);
  EXPECT_TRUE(found.timeline->back_at_first);
  EXPECT_EQ(found.overall, Verdict::equivalent);
  EXPECT_TRUE(found.answer.starts_with("2 steps: 0000000000 +9.8 %, 0000000000 -9.0 %"))
      << found.answer;
}

TEST(Timeline, StepsThatInterleaveAreTakenBackBySize) {
  // +0.4 with b, +0.1 with c; d takes b back and e takes c back.
  const Conclusion found = play(plan_of(6), {{1, 1.4}, {2, 1.5}, {3, 1.1}, {4, 1.0}});
  const auto& commits = found.timeline->commits;
  EXPECT_EQ(commits[1].undone_by, 3u);
  EXPECT_EQ(commits[2].undone_by, 4u);
  EXPECT_FALSE(commits[3].undone_by);
}

TEST(Timeline, AStepIsTakenBackInTwoParts) {
  const Conclusion found = play(plan_of(5), {{1, 1.2}, {2, 1.1}});
  EXPECT_EQ(found.timeline->commits[1].undone_by, 3u);
}

TEST(Timeline, NothingChanges) {
  const Conclusion found = play(plan_of(4), {});
  EXPECT_EQ(found.answer, "no step in 4 commits");
  EXPECT_TRUE(found.timeline->back_at_first);
}

TEST(Timeline, ACommitThatDoesNotBuildIsAResult) {
  const Conclusion found = play(plan_of(5), {{3, 1.1}, {4, 1.1}}, {}, {{2, "does not build"}});
  ASSERT_EQ(found.broken.size(), 1u);
  EXPECT_EQ(found.broken[0].arm, 2u);
  EXPECT_FALSE(found.broken[0].built);
  EXPECT_EQ(found.broken[0].why, "does not build");
  ASSERT_EQ(found.timeline->commits.size(), 4u);
  EXPECT_TRUE(found.timeline->commits[2].step);
  EXPECT_EQ(found.timeline->commits[2].to_first.arm, 3u);
}

TEST(Timeline, FailsWithoutTwoCommits) {
  const Conclusion found = play(plan_of(2), {}, {}, {{1, "does not build"}});
  EXPECT_EQ(found.overall, Verdict::failed);
  EXPECT_EQ(found.failure, "only one commit runs");
}

}  // namespace
}  // namespace assay::experiment
