// SPDX-License-Identifier: Apache-2.0
// Events of real runs: found, read into the trial, kept beside the store, and never at the price of
// what was measured.
#include "lab/events.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "lab/session.hpp"
#include "measure/trial_runner.hpp"
#include "trace/load.hpp"

namespace assay::lab {
namespace {
namespace fs = std::filesystem;

// Two items through two stages; the second stage takes `gpu_ms`.
std::string program(int gpu_ms, const std::string& to = "/dev/stdout") {
  std::string lines;
  for (int part = 0; part < 2; ++part) {
    const int t = part * 100;
    const std::string tail = "partition=" + std::to_string(part);
    const auto line = [&](int at, const char* event, const std::string& more) {
      lines += "TIMELINE," + std::to_string(at) + "," + event + ",a1b2," + more + "\\n";
    };
    line(t, "SYNTH_START", tail);
    line(t + 20, "SYNTH_END", tail + ",synth_ms=20");
    line(t + 21, "GPU_QUEUE", tail);
    line(t + 22, "GPU_PICKUP", "worker=0," + tail);
    line(t + 22, "GPU_START", "worker=0," + tail);
    line(t + 22 + gpu_ms, "GPU_END", "worker=0," + tail + ",gpu_ms=" + std::to_string(gpu_ms));
  }
  return "printf '" + lines + "' > " + to;
}

class Events : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/assay-events-test-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder_ = name;
    options_.store_path = (folder_ / "lab.db").string();
    options_.purpose = "test";
    setenv("ASSAY_MACHINE_LOCK", (folder_ / "machine.lock").c_str(), 1);
  }
  void TearDown() override { fs::remove_all(folder_); }

  Plan plan(const std::string& a, const std::string& b, const std::string& source) const {
    Plan plan;
    plan.seed = 3;
    plan.id_for_order = "events test";
    for (const std::string& text : {a, b}) {
      Subject subject;
      subject.label = plan.arms.empty() ? "A" : "B";
      subject.argv = {"/bin/sh", "-c", text};
      subject.cwd = folder_.string();
      plan.arms.push_back(subject);
    }
    for (const char* metric : {"wall", "cpu"})
      plan.metrics.push_back(*measure::builtin_metric(metric));
    plan.metrics[0].gating = true;
    plan.max_runs = 6;
    plan.events = EventsPlan{.source = source};
    return plan;
  }

  Result<Record> run(const Plan& plan) { return run_plan(plan, options_, {}, interrupted_); }

  fs::path folder_;
  SessionOptions options_;
  std::atomic<bool> interrupted_{false};
};

const StageReading* stage_of(const Trial& trial, std::string_view name) {
  for (const StageReading& stage : trial.stages)
    if (stage.stage == name) return &stage;
  return nullptr;
}

TEST_F(Events, EveryRunHasItsStagesAndItsTraceIsKept) {
  for (const std::string source : {"stdout", "stderr", "run.log"}) {
    const std::string to = source == "run.log" ? source : "/dev/" + source;
    const auto record = run(plan(program(50, to), program(60, to), source));
    ASSERT_TRUE(record.has_value()) << source << ": " << record.error().to_text();
    std::size_t runs = 0;
    for (const Entry& entry : record->entries) {
      const auto* trial = std::get_if<Trial>(&entry);
      if (trial == nullptr) continue;
      const StageReading* gpu = stage_of(*trial, "gpu");
      ASSERT_NE(gpu, nullptr) << source;
      EXPECT_EQ(gpu->spans, 2U);
      EXPECT_NEAR(gpu->service_s, trial->arm == 0 ? .05 : .06, 1e-9);
      ASSERT_NE(stage_of(*trial, "synth"), nullptr);
      if (trial->warmup) continue;
      ++runs;
      const std::string file =
          events_file(events_folder(options_.store_path, record->id), trial->block, trial->slot);
      const auto trace = trace::load_trace(file, "", {});
      ASSERT_TRUE(trace.has_value()) << trace.error().to_text();
      EXPECT_EQ(trace->items.size(), 2U);
    }
    EXPECT_EQ(runs, 12U);
    // Identical values on either side: known exactly, and a verdict all the same.
    ASSERT_GE(record->conclusion->stages.size(), 2U);
    EXPECT_FALSE(fs::exists(folder_ / "run.log"));
  }
}

TEST_F(Events, TheUsersOwnFileIsNotTouched) {
  std::ofstream(folder_ / "run.log") << "mine\n";
  const auto record = run(plan(program(50, "run.log"), program(60, "run.log"), "run.log"));
  ASSERT_FALSE(record.has_value());
  EXPECT_NE(record.error().to_text().find("is there already"), std::string::npos);
  EXPECT_TRUE(fs::exists(folder_ / "run.log"));
}

TEST_F(Events, ARunWithoutEventsIsToldBeforeTheOthersAreMade) {
  const auto record = run(plan("true", "true", "missing.log"));
  ASSERT_FALSE(record.has_value());
  EXPECT_NE(record.error().to_text().find("wrote no events"), std::string::npos);
}

TEST_F(Events, LaterRunsWithoutEventsCostAWarningOnly) {
  // Every run but the first one of each side is silent.
  const auto silent = [&](const std::string& side) {
    const std::string seen = (folder_ / side).string();
    return "test -e " + seen + " || { touch " + seen + "; " + program(50) + "; }";
  };
  const auto record = run(plan(silent("a"), silent("b"), "stdout"));
  ASSERT_TRUE(record.has_value()) << record.error().to_text();
  EXPECT_NE(record->conclusion->overall, Verdict::failed);
  bool warned = false;
  for (const Warning& warning : record->conclusion->warnings)
    warned = warned || warning.kind == WarningKind::events;
  EXPECT_TRUE(warned);
}

TEST_F(Events, ASideWithoutEventsIsNamed) {
  const auto record = run(plan(program(50), "true", "stdout"));
  ASSERT_FALSE(record.has_value());
  EXPECT_NE(record.error().to_text().find("B: the run printed nothing to stdout"),
            std::string::npos)
      << record.error().to_text();
}

TEST_F(Events, APipeIsNotWaitedFor) {
  const auto record = run(plan("mkfifo ev.out", "mkfifo ev.out", "ev.out"));
  ASSERT_FALSE(record.has_value());
  EXPECT_NE(record.error().to_text().find("neither a file nor a folder"), std::string::npos);
}

TEST_F(Events, RunsWithLostEventsGiveNoValues) {
  const std::string cut =
      program(50) + "; printf 'TIMELINE,900,GPU_START,a1b2,worker=0,partition=9\\n'";
  const auto record = run(plan(program(50), cut, "stdout"));
  ASSERT_TRUE(record.has_value()) << record.error().to_text();
  for (const StageFinding& stage : record->conclusion->stages)
    EXPECT_EQ(stage.finding.verdict, Verdict::invalid) << stage.stage;
  bool warned = false;
  for (const Warning& warning : record->conclusion->warnings)
    warned = warned || warning.text.starts_with("events were lost in runs of B");
  EXPECT_TRUE(warned);
}

TEST_F(Events, LogsAreKeptWhereAsked) {
  Plan asked = plan(program(50), program(50), "stdout");
  asked.events->logs = (folder_ / "logs").string();
  const auto record = run(asked);
  ASSERT_TRUE(record.has_value()) << record.error().to_text();
  std::size_t logs = 0;
  for (const auto& entry : fs::directory_iterator(folder_ / "logs"))
    logs += entry.path().extension() == ".log";
  EXPECT_EQ(logs, 14U);  // two warm-ups among them
}

TEST_F(Events, MemoryThatAssaySampledGoesIntoTheTrace) {
  const std::string slow = "sleep 0.1; " + program(50);
  const auto record = run(plan(slow, slow, "stdout"));
  ASSERT_TRUE(record.has_value()) << record.error().to_text();
  const auto trace =
      trace::load_trace(events_file(events_folder(options_.store_path, record->id), 1, 0), "", {});
  ASSERT_TRUE(trace.has_value());
  ASSERT_EQ(trace->memory.size(), 1U);
  EXPECT_EQ(trace->memory[0].scope, "tree");
  EXPECT_GT(trace->memory[0].bytes.front(), 0U);
}

TEST_F(Events, GoWithTheirRecord) {
  const auto record = run(plan(program(50), program(50), "stdout"));
  ASSERT_TRUE(record.has_value());
  const std::string folder = events_folder(options_.store_path, record->id);
  ASSERT_TRUE(fs::exists(folder));
  EXPECT_EQ(remove_events(
                options_.store_path, [](const std::string&) { return true; }, false),
            0U);
  const auto is_other = [&](const std::string& id) { return id != record->id; };
  EXPECT_GT(remove_events(options_.store_path, is_other, true), 0U);
  EXPECT_TRUE(fs::exists(folder));
  EXPECT_GT(remove_events(options_.store_path, is_other, false), 0U);
  EXPECT_FALSE(fs::exists(folder));
}

}  // namespace
}  // namespace assay::lab
