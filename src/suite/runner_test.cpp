// SPDX-License-Identifier: Apache-2.0
// Real processes: a Google Benchmark suite that misbehaves in every way that it knows
// (tests/subjects/gbench_suite.cpp), and a suite of a shell script.
#include "suite/runner.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "suite/list.hpp"

namespace assay::suite {
namespace {

namespace fs = std::filesystem;

const std::atomic<bool> kNever{false};

struct Ran {
  SuitePlan suite;
  std::vector<Trial> trials;  // one a run
  std::vector<Warning> warnings;

  std::map<std::string, Measurement> by_id(std::size_t trial = 0) const {
    std::map<std::string, Measurement> all;
    for (const Measurement& one : trials.at(trial).measurements) all[one.id] = one;
    return all;
  }
};

// Lists the suite, then runs the units of these names in one process each time.
Ran run_suite(Subject subject, SuitePlan suite, const std::vector<std::vector<std::string>>& runs,
              double timeout_s = 60, PlanKind kind = PlanKind::suite_run) {
  Ran ran;
  Plan plan;
  plan.kind = kind;
  plan.arms = {std::move(subject)};
  plan.metrics = {*measure::builtin_metric("wall"), *measure::builtin_metric("peak_mem")};
  plan.run.timeout_s = timeout_s;
  const auto listed = list_units(plan.arms[0], suite, &kNever);
  EXPECT_TRUE(listed) << listed.error().to_text();
  if (!listed) return ran;
  plan.suite = ran.suite = suite;
  const auto runner = SuiteRunner::start(plan, kNever);
  EXPECT_TRUE(runner) << runner.error().to_text();
  if (!runner) return ran;
  for (const std::vector<std::string>& names : runs) {
    Run run;
    for (const std::string& name : names) {
      const auto at = std::ranges::find(suite.units, name, &SuiteUnit::name);
      EXPECT_NE(at, suite.units.end()) << name;
      if (at == suite.units.end()) return ran;
      run.units.push_back(static_cast<std::uint32_t>(at - suite.units.begin()));
    }
    auto trial = (*runner)->run(run);
    EXPECT_TRUE(trial) << trial.error().to_text();
    if (trial && *trial) ran.trials.push_back(std::move(**trial));
  }
  ran.warnings = (*runner)->warnings();
  return ran;
}

#ifdef GBENCH_SUITE
Subject gbench_with(const std::string& add) {
  return {.label = "suite",
          .argv = {GBENCH_SUITE, "--benchmark_min_time=0.001"},
          .env = {{"SUITE_ADD", add}}};
}
Ran run_gbench(const std::string& add, const std::vector<std::vector<std::string>>& runs,
               double timeout_s = 60) {
  return run_suite(gbench_with(add), {.adapter = "gbench"}, runs, timeout_s);
}

TEST(SuiteRunner, RunsUnitsAloneAndTogether) {
  const Ran ran = run_gbench("", {{"BM_Small"}, {"BM_Small", "BM_Lookup", "BM_Sweep", "BM_Late"}});
  ASSERT_EQ(ran.trials.size(), 2u);
  EXPECT_EQ(ran.suite.units.size(), 4u);
  EXPECT_FALSE(ran.suite.reorders);
  const auto alone = ran.by_id(0), all = ran.by_id(1);
  ASSERT_EQ(alone.size(), 2u);
  EXPECT_GT(alone.at("BM_Small/8").value.value_or(0), 0);
  EXPECT_GT(alone.at("BM_Small/8").iterations.value_or(0), 1);
  ASSERT_EQ(all.size(), 6u);
  EXPECT_EQ(all.at("BM_Late/16/iterations:20").position, 3u);
  EXPECT_EQ(all.at("BM_Lookup/8").facts, (std::vector<Fact>{{"entries", 65536}}));
  EXPECT_TRUE(ran.trials[1].values[0]);
  for (const auto& [id, one] : all) EXPECT_EQ(one.status, MeasurementStatus::ok) << id;
  // Debian's library says that it was built for debugging: said once for both units' processes.
  EXPECT_LE(ran.warnings.size(), 1u);
}

// A library that was built slow is as slow alone as behind the others.
TEST(SuiteRunner, DoubtsOfLevelsAreOfSuiteRunAlone) {
  const Ran audit =
      run_suite(gbench_with(""), {.adapter = "gbench"}, {{"BM_Small"}}, 60, PlanKind::suite_audit);
  EXPECT_TRUE(audit.warnings.empty()) << audit.warnings.front().text;
}

TEST(SuiteRunner, KeepsWhatCameBeforeACrash) {
  const Ran ran = run_gbench("crash", {{"BM_Small", "BM_Crash"}});
  const auto ids = ran.by_id();
  EXPECT_EQ(ids.at("BM_Small/64").status, MeasurementStatus::ok);
  EXPECT_EQ(ids.at("BM_Crash/before/iterations:1").status, MeasurementStatus::ok);
  EXPECT_EQ(ids.at("BM_Crash/here/iterations:1").status, MeasurementStatus::failed);
  EXPECT_EQ(ids.at("BM_Crash/behind/iterations:1").status, MeasurementStatus::missing);
  EXPECT_EQ(ran.trials[0].exit.how, Ending::signalled);
}

TEST(SuiteRunner, EndsWhatHangsAndNamesWhatIsSilent) {
  const Ran hung = run_gbench("hang", {{"BM_Hang"}}, 0.5);
  EXPECT_EQ(hung.trials.at(0).exit.how, Ending::timed_out);
  EXPECT_EQ(hung.by_id().at("BM_Hang/iterations:1").status, MeasurementStatus::failed);
  // Status 0, and not a word.
  const Ran silent = run_gbench("exit", {{"BM_Exit"}});
  EXPECT_EQ(silent.trials.at(0).exit, Exit{});
  EXPECT_EQ(silent.by_id().at("BM_Exit/iterations:1").status, MeasurementStatus::missing);
  EXPECT_FALSE(silent.warnings.empty());
  const Ran failed = run_gbench("fail", {{"BM_Fail"}});
  EXPECT_EQ(failed.by_id().at("BM_Fail/iterations:1").message, "no such state");
}

TEST(SuiteRunner, TakesNamesOfEveryKind) {
  const Ran odd = run_gbench("quotes", {{"BM_\"quoted\" 'too' \\ (a|b)*[c]"}});
  EXPECT_EQ(odd.by_id().at("BM_\"quoted\" 'too' \\ (a|b)*[c]/x/iterations:1").status,
            MeasurementStatus::ok);
  const Ran twins = run_gbench("twins", {{"BM_Twin"}});
  const auto ids = twins.by_id();
  ASSERT_EQ(ids.size(), 2u);
  EXPECT_EQ(ids.at("BM_Twin/iterations:1").status, MeasurementStatus::ok);
  EXPECT_EQ(ids.at("BM_Twin/iterations:1#2").status, MeasurementStatus::ok);
  const Ran changing = run_gbench("changing", {{"BM_Changing"}});
  std::size_t missing = 0, unknown = 0;
  for (const auto& [id, one] : changing.by_id()) {
    missing += one.status == MeasurementStatus::missing;
    unknown += one.message == "the listing does not have it";
  }
  EXPECT_EQ(missing, 1u);
  EXPECT_EQ(unknown, 1u);
}

TEST(SuiteRunner, SeveralBinariesAreUnits) {
  const Ran ran = run_suite(
      {.label = "two",
       .argv = {GBENCH_SUITE, "/proc/self/root" GBENCH_SUITE, "--benchmark_min_time=0.001"}},
      {.adapter = "gbench", .only = {"BM_Small"}}, {{GBENCH_SUITE}});
  EXPECT_FALSE(ran.suite.joins);
  EXPECT_EQ(ran.by_id().size(), 2u);
}
#endif

class ScriptSuite : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/assay-suite-test-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  Ran run(const std::string& script, const std::vector<std::vector<std::string>>& runs) {
    const std::string path = (folder_ / "s.sh").string();
    std::ofstream(path) << "#!/bin/sh\n" << script;
    fs::permissions(path, fs::perms::owner_all);
    SuitePlan plan{.adapter = "toml",
                   .rules =
                       "list = ['{command}', 'list']\nrun = ['{command}', '{units}']\n"
                       "reorders = true\nrepeats = true\n[[line]]\n"
                       "pattern = '^(?P<id>\\S+) (?P<value>\\S+) us'\nunit = 'us'\n",
                   .rules_name = "s.toml"};
    return run_suite({.label = "script", .argv = {path}}, std::move(plan), runs);
  }

  fs::path folder_;
};

TEST_F(ScriptSuite, RunsUnitsInAnyOrderAndTwice) {
  const Ran ran =
      run("[ \"$1\" = list ] && printf 'a\\ta/1\\nb\\tb/1\\n' && exit\n"
          "for u; do echo $u/1 $# us; done\n",
          {{"b", "a"}, {"a", "a", "b"}});
  ASSERT_EQ(ran.trials.size(), 2u);
  ASSERT_EQ(ran.trials[0].measurements.size(), 2u);
  EXPECT_EQ(ran.trials[0].measurements[0].id, "b/1");
  EXPECT_EQ(ran.trials[0].measurements[0].position, 0u);
  EXPECT_DOUBLE_EQ(*ran.trials[0].measurements[1].value, 2e-6);
  EXPECT_EQ(ran.trials[0].units, (std::vector<std::uint32_t>{1, 0}));
  ASSERT_EQ(ran.trials[1].measurements.size(), 3u);
  EXPECT_EQ(ran.trials[1].measurements[1].position, 1u);
  EXPECT_EQ(ran.trials[1].measurements[2].id, "b/1");
}

TEST_F(ScriptSuite, NamesAnotherUnitsBenchmarksAndWhatCannotBeRead) {
  const Ran ran =
      run("[ \"$1\" = list ] && printf 'a\\ta/1\\nb\\tb/1\\n' && exit\n"
          "[ $1 = a ] && echo b/1 5 us\n[ $1 = b ] && echo b/1 many us\ntrue\n",
          {{"a"}, {"b"}});
  EXPECT_EQ(ran.by_id(0).at("b/1").message, "it is a benchmark of b, which was not asked for");
  EXPECT_EQ(ran.by_id(0).at("a/1").status, MeasurementStatus::missing);
  EXPECT_EQ(ran.by_id(1).at("b/1").status, MeasurementStatus::missing);
  ASSERT_EQ(ran.warnings.size(), 1u);
  EXPECT_EQ(ran.warnings[0].text, "unit b: 1 line matched, and held what is no number");
}

TEST_F(ScriptSuite, TimesThatCannotBeAreNone) {
  const Ran ran =
      run("[ \"$1\" = list ] && printf 'a\\ta/1\\nb\\tb/1\\n' && exit\n"
          "[ $1 = a ] && echo a/1 -5 us || echo b/1 0 us\n",
          {{"a"}, {"b"}});
  const Measurement below = ran.by_id(0).at("a/1"), zero = ran.by_id(1).at("b/1");
  EXPECT_EQ(below.status, MeasurementStatus::failed);
  EXPECT_EQ(below.message, "it reported a time below 0: -5.00 us");
  EXPECT_FALSE(below.value);
  EXPECT_EQ(zero.status, MeasurementStatus::ok);
  EXPECT_EQ(zero.message, "it reported a time of 0: below its clock, or optimised away");
  EXPECT_FALSE(zero.value);
}

TEST_F(ScriptSuite, TooMuchOutputIsNotSilence) {
  const Ran ran =
      run("[ \"$1\" = list ] && printf 'a\\ta/1\\n' && exit\n"
          "head -c 70000000 /dev/zero\n",
          {{"a"}});
  const Measurement one = ran.by_id(0).at("a/1");
  EXPECT_EQ(one.status, MeasurementStatus::missing);
  EXPECT_EQ(one.message,
            "what it printed could not be read: the file is longer than 64 MiB; make it say less");
  ASSERT_EQ(ran.warnings.size(), 1u);
  EXPECT_EQ(ran.warnings[0].text, "unit a: " + one.message);
}

TEST_F(ScriptSuite, ANumberCutByADeathIsNone) {
  const Ran ran =
      run("[ \"$1\" = list ] && printf 'a\\ta/1\\na\\ta/2\\n' && exit\n"
          "echo a/1 5000 us; printf 'a/2 12 us'; kill -9 $$\n",
          {{"a"}});
  EXPECT_EQ(ran.by_id(0).at("a/1").status, MeasurementStatus::ok);
  EXPECT_EQ(ran.by_id(0).at("a/2").status, MeasurementStatus::failed);
  // What a shell says of a command that was killed.
  const Ran told =
      run("[ \"$1\" = list ] && printf 'a\\ta/1\\na\\ta/2\\n' && exit\n"
          "echo a/1 5000 us; printf 'a/2 12 us'; exit 137\n",
          {{"a"}});
  EXPECT_EQ(told.by_id(0).at("a/2").status, MeasurementStatus::failed);
}

TEST_F(ScriptSuite, APipeInPlaceOfResultsIsNotWaitedFor) {
  const std::string path = (folder_ / "s.sh").string();
  std::ofstream(path) << "#!/bin/sh\nrm -f $2; mkfifo $2\n";
  fs::permissions(path, fs::perms::owner_all);
  SuitePlan plan{.adapter = "toml",
                 .rules =
                     "units = ['a']\nrun = ['{command}', '{units}', '{results}']\n"
                     "results = 'gbench'\n",
                 .rules_name = "s.toml"};
  const Ran ran = run_suite({.label = "script", .argv = {path}}, std::move(plan), {{"a"}});
  EXPECT_EQ(ran.by_id(0).at("a").message,
            "the results that it wrote could not be read: they are no file");
}

TEST_F(ScriptSuite, ANameThatNoCommandCanBeGivenIsRefused) {
  SuitePlan plan{.adapter = "toml",
                 .rules =
                     "list = ['printf', 'a\\0z\\ta/1\\n']\n"
                     "run = ['{command}', '{units}']\nresults = 'gbench'\n",
                 .rules_name = "s.toml"};
  const auto listed = list_units({.label = "x", .argv = {"true"}}, plan, &kNever);
  ASSERT_FALSE(listed);
  EXPECT_NE(listed.error().what.find("a NUL byte in it: 'a"), std::string::npos)
      << listed.error().what;
}

TEST_F(ScriptSuite, WhatAToolSaidBeforeItFailedIsTold) {
  const Ran ran =
      run("[ \"$1\" = list ] && echo a && exit\n"
          "echo; echo 'ERROR: not found: bench' >&2; exit 4\n",
          {{"a"}});
  ASSERT_EQ(ran.warnings.size(), 1u);
  EXPECT_EQ(ran.warnings[0].text,
            "unit a: it exited with status 4, and said: ERROR: not found: bench");
  SuitePlan silent{.adapter = "toml",
                   .rules =
                       "list = ['sh', '-c', 'echo no rule to make list >&2']\n"
                       "run = ['{command}', '{units}']\nresults = 'gbench'\n",
                   .rules_name = "s.toml"};
  const auto listed = list_units({.label = "x", .argv = {"true"}}, silent, &kNever);
  ASSERT_FALSE(listed);
  EXPECT_EQ(listed.error().what,
            "the command of 'list' printed no unit; it said: no rule to make list");
}

TEST_F(ScriptSuite, AListingThatFailsSaysWhy) {
  SuitePlan plan{.adapter = "toml",
                 .rules =
                     "list = ['sh', '-c', 'echo no such file >&2; exit 3']\n"
                     "run = ['{command}', '{units}']\nresults = 'gbench'\n",
                 .rules_name = "s.toml"};
  const auto listed = list_units({.label = "x", .argv = {"true"}}, plan, &kNever);
  ASSERT_FALSE(listed);
  EXPECT_EQ(listed.error().what,
            "the suite could not be listed: it exited with status 3, and said: no such file");
  SuitePlan nothing{.adapter = "gbench", .only = {"none"}};
  const auto empty = list_units({.label = "x", .argv = {"/bin/echo"}}, nothing, &kNever);
  ASSERT_FALSE(empty);
  EXPECT_EQ(empty.error().what, "none of 1 units matches --only");
}

}  // namespace
}  // namespace assay::suite
