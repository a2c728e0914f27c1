// SPDX-License-Identifier: Apache-2.0
// Whole experiments on real commands, real stores and real kills.
#include "lab/session.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "base/random.hpp"
#include "experiment/experiment.hpp"
#include "measure/trial_runner.hpp"

namespace assay::lab {
namespace {
namespace fs = std::filesystem;

class Sessions : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/assay-session-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder_ = name;
    options_.store_path = (folder_ / ".assay/lab.db").string();
    options_.purpose = "test";
    // Tests that run beside this one must not wait for it.
    setenv("ASSAY_MACHINE_LOCK", (folder_ / "machine.lock").c_str(), 1);
  }
  void TearDown() override { fs::remove_all(folder_); }

  static Plan compare(const std::vector<std::string>& a, const std::vector<std::string>& b) {
    Plan plan;
    plan.seed = 3;
    plan.id_for_order = "session test";
    plan.arms = {Subject{.label = "A", .argv = a}, Subject{.label = "B", .argv = b}};
    for (const char* metric : {"wall", "cpu", "peak_mem"})
      plan.metrics.push_back(*measure::builtin_metric(metric));
    plan.metrics[0].gating = plan.metrics[1].gating = true;
    return plan;
  }

  Result<Record> run(const Plan& plan) { return run_plan(plan, options_, events_, interrupted_); }

  std::unique_ptr<history::Store> store() {
    return std::move(*history::open_store(options_.store_path));
  }

  fs::path folder_;
  SessionOptions options_;
  SessionEvents events_;
  std::atomic<bool> interrupted_{false};
};

const std::vector<std::string> kTrue = {"true"};

TEST_F(Sessions, RunsToAConclusionThatIsStored) {
  Plan plan = compare(kTrue, {"sleep", "0.05"});
  plan.metrics[1].gating = false;
  const auto record = run(plan);
  ASSERT_TRUE(record) << record.error().to_text();
  EXPECT_EQ(record->conclusion->overall, Verdict::slower);
  const auto stored = store()->load(record->id);
  ASSERT_TRUE(stored) << stored.error().to_text();
  EXPECT_EQ(stored->conclusion, record->conclusion);
  EXPECT_EQ(stored->entries, record->entries);
  EXPECT_FALSE(stored->plan.arms[0].binary_digest.empty());
}

TEST_F(Sessions, AFailingCommandIsAConclusion) {
  const auto record = run(compare(kTrue, {"sh", "-c", "echo oops >&2; exit 3"}));
  ASSERT_TRUE(record) << record.error().to_text();
  EXPECT_EQ(record->conclusion->overall, Verdict::failed);
  EXPECT_EQ(record->conclusion->failure, "warm-up run 2 (B) exited with status 3");
  const Trial& failed = std::get<Trial>(record->entries.back());
  EXPECT_EQ(failed.output.stderr_tail, "oops\n");
}

TEST_F(Sessions, ACommandThatIsNotThereLeavesNoRecord) {
  const auto record = run(compare(kTrue, {"no-such-command-anywhere"}));
  ASSERT_FALSE(record);
  EXPECT_NE(record.error().to_text().find("no-such-command-anywhere"), std::string::npos);
  EXPECT_TRUE(store()->list()->empty());
}

TEST_F(Sessions, ABuildBeyondTheTimeBudgetIsAConclusion) {
  const std::string git = "cd '" + folder_.string() +
                          "' && git init -q -b main . && git -c user.name=t -c user.email=t@t "
                          "commit -q --allow-empty -m one && git rev-parse HEAD > commit";
  ASSERT_EQ(std::system(git.c_str()), 0);
  std::string commit;
  std::ifstream(folder_ / "commit") >> commit;
  Plan plan = compare(kTrue, kTrue);
  for (Subject& arm : plan.arms)
    arm.build = BuildSpec{.repository = folder_.string(),
                          .revision = "main",
                          .commit = commit,
                          .command = "sleep 1000"};
  plan.time_budget_s = 1;
  const auto record = run(plan);
  ASSERT_TRUE(record) << record.error().to_text();
  EXPECT_EQ(record->conclusion->overall, Verdict::failed);
  EXPECT_EQ(record->conclusion->failure,
            "main (" + commit.substr(0, 10) + ") was not built within the time budget of 1 s");
}

TEST_F(Sessions, ACoolDownBeyondTheTimeBudgetIsRefused) {
  Plan plan = compare(kTrue, kTrue);
  plan.run.cooldown_s = 1000;
  plan.time_budget_s = 60;
  const auto record = run(plan);
  ASSERT_FALSE(record);
  EXPECT_EQ(record.error().what,
            "--cooldown 17 min: one pause is longer than the time budget of 1 min");
  plan.time_budget_s = 0;
  EXPECT_TRUE(experiment::check_plan(plan));
}

TEST_F(Sessions, AnInterruptionKeepsWhatWasDoneAndResumes) {
  events_.on_progress = [this](const experiment::Progress& progress, const Record&) {
    if (progress.blocks_done == 2) interrupted_ = true;
  };
  Plan plan = compare(kTrue, kTrue);
  plan.tolerance = 0.0005;
  plan.max_runs = 36;
  const auto cut = run(plan);
  ASSERT_TRUE(cut) << cut.error().to_text();
  EXPECT_EQ(cut->conclusion->ended_by, EndedBy::interrupted);
  interrupted_ = false;
  events_.on_progress = nullptr;
  const auto resumed = resume_record("", options_, events_, interrupted_);
  ASSERT_TRUE(resumed) << resumed.error().to_text();
  EXPECT_EQ(resumed->id, cut->id);
  EXPECT_NE(resumed->conclusion->ended_by, EndedBy::interrupted);
  const auto again = resume_record(cut->id, options_, events_, interrupted_);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().what, "record " + cut->id + " is complete: there is nothing to resume");
}

// The machine's lock may be another one (ASSAY_MACHINE_LOCK, a container): the record itself says
// that somebody is at it.
TEST_F(Sessions, ARunningRecordIsLeftAlone) {
  Plan plan = compare(kTrue, kTrue);
  plan.tolerance = 0.0005;
  plan.max_runs = 36;
  int tried = 0;
  events_.on_progress = [&](const experiment::Progress& progress, const Record& record) {
    if (progress.blocks_done == 2) interrupted_ = true;
    if (progress.blocks_done != 1 || tried++ > 0) return;
    setenv("ASSAY_MACHINE_LOCK", (folder_ / "other.lock").c_str(), 1);
    const std::atomic<bool> never{false};
    const auto second = resume_record(record.id, options_, {}, never);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().what, "record " + record.id + " is being written by another process");
    const auto newest = resume_record("", options_, {}, never);
    ASSERT_FALSE(newest);
    EXPECT_EQ(newest.error().what, "record " + record.id +
                                       " is being written by another process, and no other one can "
                                       "be resumed");
    EXPECT_TRUE(store()->list()->front().running);
    EXPECT_FALSE(store()->remove(record.id));
  };
  const auto cut = run(plan);
  ASSERT_TRUE(cut) << cut.error().to_text();
  EXPECT_EQ(tried, 1);
  const auto interrupted = store()->load(cut->id);
  ASSERT_TRUE(interrupted);
  EXPECT_EQ(interrupted->entries, cut->entries);
  interrupted_ = false;
  events_.on_progress = nullptr;
  const auto resumed = resume_record(cut->id, options_, events_, interrupted_);
  ASSERT_TRUE(resumed) << resumed.error().to_text();
  EXPECT_NE(resumed->conclusion->ended_by, EndedBy::interrupted);
}

TEST_F(Sessions, RunsSetUpAndCleanUpOnceAnArm) {
  Plan plan = compare(kTrue, kTrue);
  const std::string log = (folder_ / "log").string();
  for (Subject& arm : plan.arms) {
    arm.setup = "echo setup >> " + log;
    arm.cleanup = "echo cleanup >> " + log;
  }
  plan.max_runs = 6;
  plan.tolerance = 0.0005;
  ASSERT_TRUE(run(plan));
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(log.c_str(), "r"), std::fclose);
  char text[200] = {};
  (void)std::fread(text, 1, sizeof text - 1, file.get());
  EXPECT_STREQ(text, "setup\nsetup\ncleanup\ncleanup\n");
}

TEST_F(Sessions, AFailingCleanUpKeepsTheVerdict) {
  Plan plan = compare(kTrue, kTrue);
  plan.arms[0].cleanup = "echo cannot clean >&2; exit 4";
  plan.max_runs = 6;
  plan.tolerance = 0.0005;
  const auto record = run(plan);
  ASSERT_TRUE(record) << record.error().to_text();
  const auto& warnings = record->conclusion->warnings;
  EXPECT_TRUE(std::any_of(warnings.begin(), warnings.end(), [](const Warning& w) {
    return w.text.find("cleanup command exited with status 4") != std::string::npos;
  }));
}

// Runs or resumes in a child, which is killed after `delay_us`. Returns whether the child came to
// its end.
bool run_in_child_killed_after(const Plan& plan, const SessionOptions& options, bool resume,
                               unsigned delay_us) {
  const pid_t child = fork();
  if (child == 0) {
    const std::atomic<bool> never{false};
    const auto record =
        resume ? resume_record("", options, {}, never) : run_plan(plan, options, {}, never);
    _exit(record ? 0 : 1);
  }
  usleep(delay_us);
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::vector<Entry> trials_of(const Record& record) { return entries_to_resume(record.entries); }

// SIGKILL at fifty random moments: at most the running trial is lost, the blocks are re-entered,
// and the conclusion is that of an uninterrupted experiment with the same trials.
TEST_F(Sessions, SurvivesFiftyKills) {
  Plan plan = compare(kTrue, kTrue);
  plan.tolerance = 0.0001;  // never EQUIVALENT: the cap of 900 runs a side ends it
  plan.max_runs = 900;
  plan.time_budget_s = 0;
  Random random(17);
  std::size_t kept = 0;
  bool concluded = false;
  for (int kills = 0; kills < 50 && !concluded; ++kills) {
    const auto records = store()->list();
    ASSERT_TRUE(records);
    concluded = run_in_child_killed_after(plan, options_, !records->empty(),
                                          2000 + static_cast<unsigned>(random.below(40000)));
    const auto after = store()->list();
    ASSERT_TRUE(after) << after.error().to_text();
    if (after->empty()) continue;
    ASSERT_EQ(after->size(), 1u);
    const auto record = store()->load(after->front().id);
    ASSERT_TRUE(record) << record.error().to_text();
    EXPECT_GE(trials_of(*record).size(), kept) << "a stored trial was lost";
    kept = trials_of(*record).size();
  }
  if (!concluded) {
    ASSERT_TRUE(resume_record("", options_, events_, interrupted_));
  }
  const auto record = store()->load(store()->list()->front().id);
  ASSERT_TRUE(record);
  std::set<std::pair<std::uint32_t, std::uint32_t>> places;
  for (const Entry& entry : record->entries) {
    const auto* trial = std::get_if<Trial>(&entry);
    if (trial == nullptr) continue;
    EXPECT_TRUE(places.insert({trial->block, trial->slot}).second) << "a run was made twice";
  }
  const auto uninterrupted = experiment::make_experiment(record->plan);
  const auto step = uninterrupted->next(trials_of(*record), 0);
  ASSERT_TRUE(std::holds_alternative<Conclusion>(step));
  const auto& expected = std::get<Conclusion>(step);
  EXPECT_EQ(record->conclusion->findings, expected.findings);
  EXPECT_EQ(record->conclusion->overall, expected.overall);
  EXPECT_EQ(record->conclusion->ended_by, expected.ended_by);
}

TEST_F(Sessions, RefusesToMixExecutables) {
  const std::string tool = (folder_ / "tool").string();
  fs::copy_file("/bin/true", tool);
  Plan plan = compare({tool}, {tool});
  plan.tolerance = 0.0005;
  events_.on_progress = [this](const experiment::Progress& progress, const Record&) {
    if (progress.blocks_done == 1) interrupted_ = true;
  };
  const auto cut = run(plan);
  ASSERT_TRUE(cut) << cut.error().to_text();
  fs::copy_file("/bin/echo", tool, fs::copy_options::overwrite_existing);
  interrupted_ = false;
  const auto resumed = resume_record(cut->id, options_, events_, interrupted_);
  ASSERT_FALSE(resumed);
  EXPECT_EQ(resumed.error().what, "the executable of 'A' has changed since " + cut->id + " began");
}

TEST_F(Sessions, ASecondRunOfTheSameComparisonIsCounted) {
  Plan plan = compare(kTrue, {"sleep", "0.02"});
  plan.metrics[1].gating = false;
  ASSERT_TRUE(run(plan));
  const auto again = run(plan);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->plan.earlier_p.size(), 1u);
  const auto& warnings = again->conclusion->warnings;
  EXPECT_TRUE(std::any_of(warnings.begin(), warnings.end(),
                          [](const Warning& w) { return w.kind == WarningKind::reruns; }));
}

}  // namespace
}  // namespace assay::lab
