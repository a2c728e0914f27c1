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
  EXPECT_EQ(warnings[0].text.find("peak_mem of " TINY_SUBJECT ": a run stayed below "), 0u)
      << warnings[0].text;
}

// It may not have come to its own memory yet.
TEST(ProcessTree, ARunThatWasKilledIsNotCalledSmall) {
  std::vector<Warning> warnings;
  Plan plan = subject_plan({"rest", "/dev/null"}, {"peak_mem"});
  plan.run.timeout_s = 1e-9;
  EXPECT_EQ(run_once(plan, &warnings).exit.how, Ending::timed_out);
  EXPECT_TRUE(warnings.empty()) << warnings[0].text;
}

// What the helper holds for a large environment is handed down to the command as well.
TEST(ProcessTree, TheFloorGrowsWithTheEnvironment) {
  Plan plan = plan_of({TINY_SUBJECT}, {"peak_mem"});
  for (int i = 0; i < 10; ++i)
    plan.arms[0].env.emplace_back("BIG" + std::to_string(i), std::string(100000, 'v'));
  EXPECT_FALSE(run_once(plan).values[0]);
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

// `before` is shell text that the command begins with.
void expect_nothing_left_when_assay_is_killed(const std::string& before) {
  const TempFolder folder;
  const Plan plan = plan_of(
      {"/bin/sh", "-c", before + "exec \"$0\" stubborn \"$1\"", MEASURE_SUBJECT, folder / "pids"});
  const pid_t assay = ::fork();
  ASSERT_GE(assay, 0);
  if (assay == 0) {
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

TEST(ProcessTree, NothingIsLeftWhenAssayIsKilled) {
  expect_nothing_left_when_assay_is_killed("");
  expect_nothing_left_when_assay_is_killed("kill -STOP $PPID; ");
}

TEST(ProcessTree, ACommandThatStopsItsStarterIsBound) {
  Plan plan = plan_of({"/bin/sh", "-c", "kill -STOP $PPID; exec sleep 444"});
  plan.run.timeout_s = 0.2;
  EXPECT_EQ(run_once(plan).exit, (Exit{Ending::timed_out, SIGTERM}));
  plan.arms[0].argv = {"/bin/sh", "-c", "kill -STOP $PPID; exit 3"};
  EXPECT_EQ(run_once(plan).exit, (Exit{Ending::exited, 3}));
}

TEST(ProcessTree, ACommandThatGoesOnStoppingItsStarterIsBound) {
  Plan plan = plan_of({"/bin/sh", "-c", "while kill -STOP $PPID; do :; done"});
  plan.run.timeout_s = 0.2;
  EXPECT_EQ(run_once(plan).exit, (Exit{Ending::timed_out, SIGTERM}));
}

// Whichever of the two helper processes it kills, its daemons do not stay.
TEST(ProcessTree, ACommandThatKillsItsStarterLeavesNothing) {
  const struct {
    const char *victim, *what;
  } cases[] = {{"$PPID",
                "the helper assay-launch was killed by signal 9 (Killed) while this "
                "command ran"},
               {"$(grep -o '^PPid:.*' /proc/$PPID/status | cut -f2)",
                "the helper assay-launch was killed by signal 9 (Killed) while this command ran"}};
  for (const auto& c : cases) {
    const TempFolder folder;
    Plan plan = plan_of({"/bin/sh", "-c",
                         std::string("\"$0\" leave \"$1\"; \"$0\" leave \"$2\"; kill -9 ") +
                             c.victim + "; exec sleep 555",
                         MEASURE_SUBJECT, folder / "one", folder / "two"});
    plan.arms[0].label = "./murderer";
    plan.arms[0].cleanup = "echo done >" + (folder / "cleaned");
    auto runner = TrialRunner::start(plan, never());
    ASSERT_TRUE(runner);
    const auto trial = (*runner)->run({});
    ASSERT_FALSE(trial) << c.victim;
    EXPECT_EQ(trial.error().to_text(),
              std::string("./murderer: ") + c.what +
                  "\n  most likely the command did it: it must leave its parent process alone; if "
                  "memory ran out instead, 'dmesg' says so");
    for (const char* file : {"one", "two"}) {
      const std::vector<pid_t> pids = read_pids(folder / file);
      ASSERT_EQ(pids.size(), 1u);
      EXPECT_TRUE(is_gone(pids[0])) << c.victim;
    }
    EXPECT_TRUE((*runner)->cleanup(0));
    EXPECT_EQ(read_text(folder / "cleaned"), "done\n");
  }
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
  EXPECT_FALSE(trial.output.torn);  // it is binary
}

}  // namespace
}  // namespace assay::measure
