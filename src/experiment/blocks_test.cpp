// SPDX-License-Identifier: Apache-2.0
#include "experiment/blocks.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace assay::experiment {
namespace {

using Runs = std::vector<assay::Run>;

Plan plan_of(std::uint32_t arms) {
  Plan plan;
  for (std::uint32_t arm = 0; arm < arms; ++arm) plan.arms.push_back({.argv = {"subject"}});
  plan.metrics = {Metric{.name = "wall", .unit = "s", .gating = true}};
  return plan;
}

Runs each_once(std::uint32_t block, std::uint32_t arms) {
  Runs runs;
  for (std::uint32_t arm = 0; block > 0 && arm < arms; ++arm)
    runs.push_back({.arm = arm, .block = block, .slot = arm});
  return runs;
}

Trial trial_of(const assay::Run& run, Exit exit = {}) {
  Trial trial{.arm = run.arm, .block = run.block, .slot = run.slot};
  trial.duration = std::chrono::milliseconds(10 + run.arm);
  trial.exit = exit;
  trial.values = {0.01};
  return trial;
}

// What on_block saw: arms of the trials, block by block.
using Seen = std::vector<std::vector<std::uint32_t>>;

struct Reader {
  explicit Reader(const Plan& plan)
      : blocks(
            plan,
            [&plan](std::uint32_t b) {
              return each_once(b, static_cast<std::uint32_t>(plan.arms.size()));
            },
            Blocks::OnFailure::drop_arm) {}
  void read(std::span<const Entry> entries) {
    blocks.read(entries, [this](std::uint32_t, std::span<const Trial* const> trials) {
      std::vector<std::uint32_t> arms;
      for (const Trial* trial : trials) arms.push_back(trial->arm);
      seen.push_back(arms);
      return true;
    });
  }
  Blocks blocks;
  Seen seen;
};

TEST(Blocks, AnArmThatFailsDropsOutAndTheOthersGoOn) {
  const Plan plan = plan_of(3);
  const Runs first = each_once(1, 3), second = each_once(2, 3);
  const std::vector<Entry> entries = {trial_of(first[0]), trial_of(first[1], {Ending::exited, 3}),
                                      trial_of(first[2]), trial_of(second[0]),
                                      trial_of(second[2], {Ending::timed_out, 15})};
  Reader reader(plan);
  reader.read(entries);
  EXPECT_EQ(reader.seen, (Seen{{0, 2}, {0}}));
  ASSERT_EQ(reader.blocks.broken().size(), 2u);
  EXPECT_EQ(reader.blocks.broken()[0], (BrokenArm{1, true, "exited with status 3"}));
  EXPECT_EQ(reader.blocks.broken()[1], (BrokenArm{2, true, "timed out after 12.0 ms"}));
  EXPECT_FALSE(reader.blocks.failure());
  // Only the arm that is left is asked for.
  const Job job = reader.blocks.missing();
  ASSERT_EQ(job.runs.size(), 1u);
  EXPECT_EQ(job.runs[0].arm, 0u);
  EXPECT_DOUBLE_EQ(reader.blocks.longest_run(), 0.012);
}

TEST(Blocks, AnArmThatDoesNotBuildIsNotAskedFor) {
  const Plan plan = plan_of(2);
  Reader reader(plan);
  std::vector<Entry> entries = {
      Build{.arm = 0, .ok = true, .duration = std::chrono::seconds(2)},
      Build{
          .arm = 1, .ok = false, .duration = std::chrono::seconds(3), .reason = "does not apply"}};
  reader.read(entries);
  EXPECT_EQ(reader.blocks.broken()[0], (BrokenArm{1, false, "does not apply"}));
  EXPECT_EQ(reader.blocks.builds(), 2u);
  EXPECT_DOUBLE_EQ(reader.blocks.build_seconds(), 5);
  ASSERT_EQ(reader.blocks.missing().runs.size(), 1u);
  entries.emplace_back(trial_of(each_once(1, 2)[0]));
  reader.read(entries);
  EXPECT_EQ(reader.seen, (Seen{{0}}));
}

TEST(Blocks, ARunOfTheBlockThatWasMeasuredBeforeItsArmBrokeCountsNoMore) {
  const Plan plan = plan_of(2);
  const auto twice = [](std::uint32_t block) {
    Runs runs;
    for (std::uint32_t slot = 0; block > 0 && slot < 4; ++slot)
      runs.push_back({.arm = slot % 2, .block = block, .slot = slot});
    return runs;
  };
  Blocks blocks(plan, twice, Blocks::OnFailure::drop_arm);
  const Runs runs = twice(1);
  const std::vector<Entry> entries = {trial_of(runs[0]), trial_of(runs[1]), trial_of(runs[2]),
                                      trial_of(runs[3], {Ending::signalled, 11})};
  std::vector<std::uint32_t> arms;
  blocks.read(entries, [&](std::uint32_t, std::span<const Trial* const> trials) {
    for (const Trial* trial : trials) arms.push_back(trial->arm);
    return true;
  });
  EXPECT_EQ(arms, (std::vector<std::uint32_t>{0, 0}));
}

// What is asked next may depend on what was measured, and not on how the reading was cut.
TEST(Blocks, TheScheduleIsAskedWhenTheBlockBeforeWasRead) {
  const Plan plan = plan_of(8);
  const auto adaptive = [&plan](std::span<const Entry> entries, bool at_once) {
    std::uint32_t next_arm = 0;
    std::vector<std::uint32_t> asked;
    Blocks blocks(
        plan,
        [&](std::uint32_t block) {
          if (block == 0) return Runs();
          return Runs{{.arm = next_arm, .block = block}};
        },
        Blocks::OnFailure::drop_arm);
    const auto on_block = [&](std::uint32_t, std::span<const Trial* const> trials) {
      next_arm = trials.empty() ? 7 : (trials[0]->arm + 3) % 8;
      asked.push_back(next_arm);
      return true;
    };
    if (at_once) {
      blocks.read(entries, on_block);
    } else {
      for (std::size_t n = 0; n <= entries.size(); ++n) blocks.read(entries.first(n), on_block);
    }
    asked.push_back(blocks.missing().runs.at(0).arm);
    return asked;
  };
  const std::vector<Entry> entries = {trial_of({.arm = 0, .block = 1}),
                                      trial_of({.arm = 3, .block = 2}, {Ending::exited, 1}),
                                      trial_of({.arm = 7, .block = 3})};
  const auto asked = adaptive(entries, true);
  EXPECT_EQ(asked, (std::vector<std::uint32_t>{3, 7, 2, 2}));
  EXPECT_EQ(asked, adaptive(entries, false));
}

}  // namespace
}  // namespace assay::experiment
