// SPDX-License-Identifier: Apache-2.0
// Facts about whole process trees: memory, CPU, and that nothing is left behind. Each is a trap
// that tools fall into (docs/design.md, "Measuring one trial").
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <fstream>

#include "base/digest.hpp"
#include "tests/support/measured.hpp"

namespace assay::measure {
namespace {

constexpr double kMiB = 1 << 20;

// "VmRSS", "VmHWM" of this process, bytes.
double own_memory(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(name + ":")) return std::stod(line.substr(name.size() + 1)) * 1024;
  return 0;
}

TEST(ProcessTree, SizeOfAssayIsNotThatOfTheCommand) {
  std::vector<char> ballast(400 << 20);
  for (std::size_t i = 0; i < ballast.size(); i += 4096) ballast[i] = 1;
  ASSERT_GT(own_memory("VmRSS"), 400 * kMiB);
  const Trial trial = run_once(subject_plan({"noop"}, {"peak_mem"}));
  ASSERT_TRUE(trial.values[0]);
  EXPECT_LT(*trial.values[0], 2 * kMiB);
  EXPECT_GT(*trial.values[0], 0.1 * kMiB);
  EXPECT_EQ(ballast[4096], 1);
}

TEST(ProcessTree, BelowTheFloorIsNoReading) {
  std::vector<Warning> warnings;
  const Trial trial = run_once(plan_of({TINY_SUBJECT}, {"peak_mem", "wall"}), &warnings);
  EXPECT_EQ(trial.exit, (Exit{Ending::exited, 0}));
  EXPECT_FALSE(trial.values[0]);
  EXPECT_TRUE(trial.values[1]);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].text.find("peak_mem of " TINY_SUBJECT ": below the floor of "), 0u)
      << warnings[0].text;
}

TEST(ProcessTree, ChildrenThatHoldMemoryTogetherAddUp) {
  const Trial trial =
      run_once(subject_plan({"hold", "100", "4"}, {"peak_mem", "tree_mem", "cgroup_mem"}));
  ASSERT_TRUE(trial.values[0] && trial.values[1]);
  EXPECT_GT(*trial.values[0], 100 * kMiB);
  EXPECT_LT(*trial.values[0], 110 * kMiB);
  EXPECT_GT(*trial.values[1], 395 * kMiB);
  EXPECT_LT(*trial.values[1], 430 * kMiB);
  EXPECT_GT(trial.values[2].value_or(400 * kMiB), 395 * kMiB);  // not every host permits it
  EXPECT_GE(trial.memory_samples, 5u);
  ASSERT_FALSE(trial.memory.empty());
  EXPECT_GT(trial.memory.front().at.count(), 0);
}

TEST(ProcessTree, CpuOfADaemonCounts) {
  const Trial trial = run_once(subject_plan({"burn-daemon", "0.3"}, {"cpu"}));
  EXPECT_GE(trial.values[0].value_or(0), 0.28);
}

TEST(ProcessTree, WhatIsLeftBehindIsKilledAndCounted) {
  const TempFolder folder;
  const Trial trial = run_once(subject_plan({"leave", folder / "pids"}));
  EXPECT_EQ(trial.exit, (Exit{Ending::exited, 0}));
  EXPECT_EQ(trial.left_behind, 1u);
  const std::vector<pid_t> pids = read_pids(folder / "pids");
  ASSERT_EQ(pids.size(), 1u);
  EXPECT_TRUE(is_gone(pids[0]));
  EXPECT_EQ(run_once(subject_plan({"noop"})).left_behind, 0u);
}

TEST(ProcessTree, DaemonsAndTheDeafAreGoneAfterTheTimeLimit) {
  const TempFolder folder;
  Plan plan = subject_plan({"stubborn", folder / "pids"});
  // Long enough for both to note their number also on a loaded machine.
  plan.run.timeout_s = 2;
  const Trial trial = run_once(plan);
  EXPECT_EQ(trial.exit, (Exit{Ending::timed_out, SIGKILL}));
  EXPECT_EQ(trial.left_behind, 0u);
  const std::vector<pid_t> pids = read_pids(folder / "pids");
  ASSERT_EQ(pids.size(), 2u);
  for (const pid_t pid : pids) EXPECT_TRUE(is_gone(pid)) << pid;
}

// 2000 generations of a daemon that forks and ends, each in a session of its own.
TEST(ProcessTree, OneThatRunsAwayIsCaught) {
  const TempFolder folder;
  const Trial trial = run_once(subject_plan({"run-away", folder / "pids"}));
  EXPECT_EQ(trial.exit, (Exit{Ending::exited, 0}));
  // The next run finds an empty house.
  EXPECT_EQ(run_once(subject_plan({"noop"})).left_behind, 0u);
}

TEST(ProcessTree, NothingIsLeftWhenAssayIsKilled) {
  const TempFolder folder;
  const pid_t assay = ::fork();
  ASSERT_GE(assay, 0);
  if (assay == 0) {
    const Plan plan = subject_plan({"stubborn", folder / "pids"});
    auto runner = TrialRunner::start(plan, never());
    if (runner) (void)(*runner)->run({});
    ::_exit(1);
  }
  const bool noted = comes([&] { return read_pids(folder / "pids").size() == 2; });
  ::kill(assay, SIGKILL);
  ::waitpid(assay, nullptr, 0);
  ASSERT_TRUE(noted);
  EXPECT_TRUE(all_gone(read_pids(folder / "pids")));
}

TEST(ProcessTree, AGibibyteOfOutputIsDigestedAndNotHeld) {
  constexpr std::uint64_t kBytes = std::uint64_t{1} << 30;
  std::ofstream("/proc/self/clear_refs") << "5\n";  // the peak counts from now on
  const double before = own_memory("VmRSS");
  const Trial trial = run_once(subject_plan({"print", std::to_string(kBytes)}));
  EXPECT_EQ(trial.output.bytes, kBytes);
  EXPECT_FALSE(trial.output.torn);
  EXPECT_LT(own_memory("VmHWM") - before, 32 * kMiB);
  Sha256 digest;
  std::string part;
  while (part.size() < 1 << 20) part += std::string(63, 'a') + "\n";
  for (int i = 0; i < 1024; ++i) digest.update(part);
  EXPECT_EQ(trial.output.digest, digest.finish());
}

// Both streams full at once, of a command that writes them in turn.
TEST(ProcessTree, FullStreamsDoNotBlockEachOther) {
  const Trial trial = run_once(plan_of(
      {"/bin/sh", "-c",
       "head -c 5000000 /dev/zero >&2; head -c 5000000 /dev/zero; head -c 5000000 /dev/zero >&2"}));
  EXPECT_EQ(trial.exit, (Exit{Ending::exited, 0}));
  EXPECT_EQ(trial.output.bytes, 5000000u);
  EXPECT_TRUE(trial.output.torn);
}

}  // namespace
}  // namespace assay::measure
