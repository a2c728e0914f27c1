// SPDX-License-Identifier: Apache-2.0
#include "measure/trial_runner.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <csignal>
#include <thread>

#include "base/digest.hpp"
#include "tests/support/measured.hpp"

namespace assay::measure {
namespace {

Plan shell_plan(const std::string& script, const std::vector<std::string>& names = {"wall"}) {
  return plan_of({"/bin/sh", "-c", script}, names);
}

TEST(TrialRunner, TellsHowTheCommandEnded) {
  const struct {
    std::string script;
    Exit exit;
    std::string stderr_tail;
  } cases[] = {
      {"exit 0", {Ending::exited, 0}, ""},
      {"echo quiet >&2", {Ending::exited, 0}, ""},
      {"echo broken >&2; exit 3", {Ending::exited, 3}, "broken\n"},
      {"kill -9 $$", {Ending::signalled, 9}, ""},
      {"echo dying >&2; kill -11 $$", {Ending::signalled, 11}, "dying\n"},
  };
  for (const auto& c : cases) {
    const Trial trial = run_once(shell_plan(c.script));
    EXPECT_EQ(trial.exit, c.exit) << c.script;
    EXPECT_EQ(trial.output.stderr_tail, c.stderr_tail) << c.script;
  }
}

TEST(TrialRunner, TellsThatTheCommandWasNotStarted) {
  const TempFolder folder;
  const Trial trial =
      run_once(plan_of({folder.write("odd", "\x01\x02\x03 no program", true)}, {"wall", "cpu"}));
  EXPECT_EQ(trial.exit, (Exit{Ending::not_started, ENOEXEC}));
  EXPECT_EQ(trial.values, (std::vector<std::optional<double>>{{}, {}}));
}

TEST(TrialRunner, TimesOut) {
  Plan plan = shell_plan("trap 'echo cleaning up; exit 7' TERM; while :; do :; done");
  plan.run.timeout_s = 0.5;  // enough for the shell to set its trap on a loaded machine
  const Trial trial = run_once(plan);
  EXPECT_EQ(trial.exit, (Exit{Ending::timed_out, 7}));
  // It was asked to end before it was made to.
  EXPECT_EQ(trial.output.digest, sha256("cleaning up\n"));
}

TEST(TrialRunner, CarriesTheLabelsOfTheRun) {
  auto runner = TrialRunner::start(subject_plan({"noop"}), never());
  ASSERT_TRUE(runner);
  const auto trial = (*runner)->run({0, 7, 3, 4095, true});
  ASSERT_TRUE(trial && *trial);
  EXPECT_EQ((*trial)->block, 7u);
  EXPECT_EQ((*trial)->slot, 3u);
  EXPECT_EQ((*trial)->pad, 4095u);
  EXPECT_TRUE((*trial)->warmup);
  EXPECT_GT((*trial)->started_at_ms, 1'500'000'000'000);
  EXPECT_GT((*trial)->duration.count(), 0);
}

TEST(TrialRunner, PadsTheEnvironmentOnTopOfThePlans) {
  const TempFolder folder;
  Plan plan = shell_plan("printf '%s %s' \"$WORD\" ${#ASSAY_PAD} >" + (folder / "out"));
  plan.arms[0].env = {{"WORD", "from the plan"}};
  for (const bool exact : {false, true}) {
    plan.run.exact = exact;
    auto runner = TrialRunner::start(plan, never());
    if (!runner && exact) return;  // a host without callgrind
    ASSERT_TRUE(runner) << runner.error().to_text();
    for (const std::uint32_t pad : {0u, 1u, 4095u}) {
      ASSERT_TRUE((*runner)->run({0, 1, 0, pad, false}));
      EXPECT_EQ(read_text(folder / "out"), "from the plan " + std::to_string(exact ? 0 : pad));
    }
  }
}

TEST(TrialRunner, GivesInputAndFolder) {
  const TempFolder folder;
  Plan plan = shell_plan("cat; pwd");
  plan.arms[0].cwd = folder.path();
  EXPECT_EQ(run_once(plan).output.digest, sha256(folder.path() + "\n"));
  plan.arms[0].input = folder.write("input", "some input\n");
  auto runner = TrialRunner::start(plan, never());
  ASSERT_TRUE(runner);
  for (int i = 0; i < 2; ++i) {  // from its start every time
    const auto trial = (*runner)->run({});
    ASSERT_TRUE(trial && *trial);
    EXPECT_EQ((*trial)->output.digest, sha256("some input\n" + folder.path() + "\n"));
  }
}

TEST(TrialRunner, ReadsOwnMetricsAmongTheOthers) {
  Plan plan = shell_plan("echo latency 12.5; echo ASSAY rate=7");
  Metric latency;
  latency.name = "latency_ms";
  latency.unit = "s";
  latency.origin = MetricOrigin::output;
  latency.source = "re:latency ([0-9.]+)";
  Metric missing = latency;
  missing.name = "missing";
  missing.unit = "1";
  missing.source = "re:never ([0-9.]+)";
  plan.metrics = {missing, *builtin_metric("wall"), latency};
  const Trial trial = run_once(plan);
  ASSERT_EQ(trial.values.size(), 3u);
  EXPECT_FALSE(trial.values[0]);
  EXPECT_GT(trial.values[1].value_or(0), 0);
  EXPECT_DOUBLE_EQ(trial.values[2].value_or(0), 0.0125);
}

TEST(TrialRunner, BuiltInMetricsAreOfTheRun) {
  const Trial trial = run_once(
      subject_plan({"burn", "0.2"}, {"wall", "cpu", "user", "sys", "page_faults", "peak_mem"}));
  const auto value = [&](std::size_t i) { return trial.values[i].value_or(-1); };
  EXPECT_GE(value(0), 0.2);
  EXPECT_GE(value(1), 0.19);
  EXPECT_LT(value(1), 0.4);
  EXPECT_NEAR(value(1), value(2) + value(3), 1e-9);
  EXPECT_GT(value(4), 10);
  EXPECT_GT(value(5), 1e5);
  if (trial.contention.run_delay_s) {  // not every kernel tells
    EXPECT_LT(*trial.contention.run_delay_s, value(0));
  }
  EXPECT_GE(trial.contention.involuntary_switches + trial.contention.voluntary_switches, 0);
}

TEST(TrialRunner, OnATerminalLinesAreFlushed) {
  Plan plan = subject_plan({"lines"});
  EXPECT_EQ(run_once(plan).output.bytes, 0u);  // killed before its buffer was flushed
  plan.run.line_buffered = true;
  EXPECT_EQ(run_once(plan).output.digest, sha256("isatty 1\nsecond\n"));
}

TEST(TrialRunner, PinsTheCommandAndGivesItsOwnCpusBack) {
  const auto own = [] {
    cpu_set_t set;
    CPU_ZERO(&set);
    ::sched_getaffinity(0, sizeof set, &set);
    return set;
  };
  const cpu_set_t before = own();
  int first = 0;
  while (!CPU_ISSET(first, &before)) ++first;
  Plan plan = shell_plan("grep Cpus_allowed_list /proc/self/status");
  plan.run.pin = std::to_string(first);
  EXPECT_EQ(run_once(plan).output.digest, sha256("Cpus_allowed_list:\t" + plan.run.pin + "\n"));
  const cpu_set_t after = own();
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

TEST(TrialRunner, IsolatesAsFarAsTheHostPermits) {
  Plan plan = subject_plan({"burn", "0.01"}, {"wall", "cpu"});
  plan.run.isolate = true;
  EXPECT_EQ(run_once(plan).exit, (Exit{Ending::exited, 0}));
}

TEST(TrialRunner, TakesAnyTimeLimit) {
  for (const double limit : {1e300, -1.0, 3600.0}) {
    Plan plan = subject_plan({"noop"});
    plan.run.timeout_s = limit;
    EXPECT_EQ(run_once(plan).exit, (Exit{Ending::exited, 0})) << limit;
  }
}

TEST(TrialRunner, RefusesAPlanThatCannotRun) {
  const struct {
    Plan plan;
    std::string text;
  } cases[] = {
      {plan_of({"no-such-command-anywhere"}),
       "command not found: 'no-such-command-anywhere'\n  give its path, or mend PATH"},
      {[] {
         Plan plan = subject_plan({"noop"});
         plan.metrics[0].name = "wal";
         return plan;
       }(),
       "unknown metric 'wal'\n  did you mean 'wall'?"},
      {[] {
         Plan plan = subject_plan({"noop"});
         plan.metrics[0].name = "temperature";
         return plan;
       }(),
       "unknown metric 'temperature'\n  known: wall cpu user sys peak_mem tree_mem cgroup_mem "
       "page_faults instructions"},
      {[] {
         Plan plan = subject_plan({"noop"});
         plan.arms[0].input = "/nowhere/input";
         return plan;
       }(),
       "/nowhere/input: cannot read the input: No such file or directory\n"
       "  name a readable file with --input"},
  };
  for (const auto& c : cases) {
    const auto runner = TrialRunner::start(c.plan, never());
    ASSERT_FALSE(runner) << c.text;
    EXPECT_EQ(runner.error().to_text(), c.text);
  }
}

TEST(TrialRunner, HooksRunAroundEveryRunAndOnceAnArm) {
  const TempFolder folder;
  const std::string log = folder / "log";
  const auto note = [&](const std::string& word) { return "echo " + word + " >>" + log; };
  Plan plan = shell_plan(note("run"));
  plan.arms[0].setup = note("setup");
  plan.arms[0].prepare = note("prepare");
  plan.arms[0].conclude = note("conclude");
  plan.arms[0].cleanup = note("cleanup");
  plan.run.cooldown_s = 0.001;
  auto runner = TrialRunner::start(plan, never());
  ASSERT_TRUE(runner);
  ASSERT_TRUE((*runner)->setup(0));
  for (int i = 0; i < 2; ++i) ASSERT_TRUE((*runner)->run({}));
  ASSERT_TRUE((*runner)->cleanup(0));
  EXPECT_EQ(read_text(log), "setup\nprepare\nrun\nconclude\nprepare\nrun\nconclude\ncleanup\n");
}

TEST(TrialRunner, AHookThatFailsStopsWithItsLastLines) {
  Plan plan = subject_plan({"noop"});
  plan.arms[0].setup = "echo one; echo two >&2; exit 4";
  plan.arms[0].prepare = "kill -9 $$";
  plan.arms[0].cleanup = "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo line $i; done; false";
  auto runner = TrialRunner::start(plan, never());
  ASSERT_TRUE(runner);
  const auto setup = (*runner)->setup(0);
  ASSERT_FALSE(setup);
  EXPECT_EQ(setup.error().to_text(),
            "echo one; echo two >&2; exit 4: the setup command exited with status 4\n"
            "  one\n  two");
  const auto trial = (*runner)->run({});
  ASSERT_FALSE(trial);
  EXPECT_EQ(trial.error().to_text(),
            "kill -9 $$: the prepare command was killed by signal 9 (Killed)\n"
            "  it printed nothing");
  const auto cleanup = (*runner)->cleanup(0);
  ASSERT_FALSE(cleanup);
  EXPECT_EQ(cleanup.error().hint,
            "line 3\n  line 4\n  line 5\n  line 6\n  line 7\n  line 8\n  line 9\n  line 10\n"
            "  line 11\n  line 12");
}

TEST(TrialRunner, TheTimeLimitIsThatOfHooksToo) {
  Plan plan = subject_plan({"noop"});
  plan.run.timeout_s = 0.2;
  plan.time_budget_s = 1;
  const std::string hang = "echo waiting; sleep 1000";
  for (const bool before : {true, false}) {
    (before ? plan.arms[0].prepare : plan.arms[0].conclude) = hang;
    auto runner = TrialRunner::start(plan, never());
    ASSERT_TRUE(runner);
    const auto trial = (*runner)->run({});
    ASSERT_FALSE(trial);
    EXPECT_EQ(trial.error().to_text(), hang + ": the " + (before ? "prepare" : "conclude") +
                                           " command timed out after 200 ms\n  waiting");
    plan.arms[0].prepare.clear();
  }
}

TEST(TrialRunner, CountsTheSameInstructionsTwice) {
  Plan plan = subject_plan({"arguments", "one", "two"}, {"instructions"});
  plan.run.exact = true;
  auto runner = TrialRunner::start(plan, never());
  if (!runner) GTEST_SKIP() << runner.error().to_text();
  std::vector<double> counts;
  for (const std::uint32_t pad : {0u, 77u}) {
    const auto trial = (*runner)->run({0, 1, 0, pad, false});
    ASSERT_TRUE(trial && *trial);
    EXPECT_EQ((*trial)->exit, (Exit{Ending::exited, 0}));
    ASSERT_TRUE((*trial)->values[0]);
    counts.push_back(*(*trial)->values[0]);
  }
  EXPECT_GT(counts[0], 10000);
  EXPECT_EQ(counts[0], counts[1]);
}

// valgrind that counts nothing, as a broken installation does.
TEST(TrialRunner, WithoutCountsExactGoesNoFurther) {
  const TempFolder folder;
  folder.write("valgrind", "#!/bin/sh\nexit 0\n", true);
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", (folder.path() + ":" + path).c_str(), 1);
  Plan plan = plan_of({"/bin/true"}, {"instructions"});
  plan.run.exact = true;
  auto runner = TrialRunner::start(plan, never());
  ::setenv("PATH", path.c_str(), 1);
  ASSERT_TRUE(runner) << runner.error().to_text();
  const auto trial = (*runner)->run({});
  ASSERT_FALSE(trial);
  EXPECT_EQ(trial.error().what,
            "no instructions were counted: valgrind left no instruction counts");
}

TEST(TrialRunner, WarnsOnceWhyAMetricHasNoValue) {
  Plan plan = shell_plan("echo ASSAY v=nan");
  plan.metrics = {*parse_metric("v=assay")};
  auto runner = TrialRunner::start(plan, never());
  ASSERT_TRUE(runner);
  for (int i = 0; i < 3; ++i) {
    const auto trial = (*runner)->run({});
    ASSERT_TRUE(trial && *trial);
    EXPECT_FALSE((*trial)->values[0]);
  }
  EXPECT_EQ((*runner)->warnings(),
            (std::vector<Warning>{{WarningKind::torn_log,
                                   "metric v: the command printed 'nan', which is no number"}}));
}

// The second side prints the same number in another unit.
TEST(TrialRunner, SidesThatPrintDifferentUnitsAreNotMixed) {
  Plan plan = shell_plan("echo ASSAY v=5 ms");
  plan.arms.push_back(plan.arms[0]);
  plan.arms[1].argv.back() = "echo ASSAY v=5 MiB";
  plan.metrics = {*parse_metric("v=assay")};
  auto runner = TrialRunner::start(plan, never());
  ASSERT_TRUE(runner);
  const auto a = (*runner)->run({0, 1, 0, 0, false});
  const auto b = (*runner)->run({1, 1, 1, 0, false});
  ASSERT_TRUE(a && *a && b && *b);
  EXPECT_EQ((*a)->values[0], 0.005);
  EXPECT_EQ((*b)->values[0], std::nullopt);
  ASSERT_EQ((*runner)->warnings().size(), 1u);
  EXPECT_EQ((*runner)->warnings()[0].text,
            "metric v: it was printed in 'ms' first and then in 'MiB'; values in 'MiB' are left "
            "out");
}

// A service that setup starts serves all runs and is gone with the runner.
TEST(TrialRunner, AServiceOfSetupStays) {
  const TempFolder folder;
  Plan plan = subject_plan({"noop"}, {"wall", "tree_mem"});
  plan.arms[0].setup =
      join_command(std::vector<std::string>{MEASURE_SUBJECT, "leave", folder / "service"});
  plan.arms[0].argv = {MEASURE_SUBJECT, "leave", folder / "left"};
  auto runner = TrialRunner::start(plan, never());
  ASSERT_TRUE(runner);
  ASSERT_TRUE((*runner)->setup(0));
  const std::vector<pid_t> service = read_pids(folder / "service");
  ASSERT_EQ(service.size(), 1u);
  for (int i = 0; i < 2; ++i) {
    std::filesystem::remove(folder / "left");
    const auto trial = (*runner)->run({});
    ASSERT_TRUE(trial && *trial);
    EXPECT_EQ((*trial)->left_behind, 1u);
    EXPECT_FALSE(is_gone(service[0]));
    EXPECT_TRUE(is_gone(read_pids(folder / "left").back()));
  }
  runner->reset();
  EXPECT_TRUE(is_gone(service[0]));
}

class Interrupted : public ::testing::Test {
 protected:
  // Raises the flag once the command has noted its number.
  void interrupt_when_noted() {
    waiter_ = std::thread([this] {
      noted_ = comes([this] { return !read_pids(folder_ / "pids").empty(); });
      flag_ = true;
    });
  }
  void TearDown() override {
    if (waiter_.joinable()) waiter_.join();
    EXPECT_TRUE(noted_);
  }

  TempFolder folder_;
  std::atomic<bool> flag_{false};
  std::thread waiter_;
  bool noted_ = false;
};

TEST_F(Interrupted, DuringTheCommandNothingIsLeftAndNothingReturned) {
  auto runner = TrialRunner::start(subject_plan({"stubborn", folder_ / "pids"}), flag_);
  ASSERT_TRUE(runner);
  interrupt_when_noted();
  const auto trial = (*runner)->run({});
  waiter_.join();
  ASSERT_TRUE(trial) << trial.error().to_text();
  EXPECT_FALSE(*trial);
  for (const pid_t pid : read_pids(folder_ / "pids")) EXPECT_TRUE(is_gone(pid));
}

TEST_F(Interrupted, DuringAHookAndTheCoolDown) {
  Plan plan = subject_plan({"noop"});
  plan.arms[0].prepare =
      join_command(std::vector<std::string>{MEASURE_SUBJECT, "rest", folder_ / "pids"});
  plan.run.cooldown_s = 1000;
  auto runner = TrialRunner::start(plan, flag_);
  ASSERT_TRUE(runner);
  interrupt_when_noted();
  auto trial = (*runner)->run({});
  waiter_.join();
  ASSERT_TRUE(trial);
  EXPECT_FALSE(*trial);
  plan.arms[0].prepare.clear();
  auto cooling = TrialRunner::start(plan, flag_);
  ASSERT_TRUE(cooling);
  trial = (*cooling)->run({});
  ASSERT_TRUE(trial);
  EXPECT_FALSE(*trial);
}

}  // namespace
}  // namespace assay::measure
