// SPDX-License-Identifier: Apache-2.0
#include "lab/loop.hpp"

#include <algorithm>
#include <utility>

#include "base/clock.hpp"

namespace assay::lab {
namespace {

class Loop {
 public:
  Loop(experiment::Experiment& experiment, Record& record, measure::TrialRunner& runner,
       history::Store& store, const std::atomic<bool>& interrupted, const OnProgress& on_progress,
       const PrepareArm& prepare_arm)
      : experiment_(experiment),
        record_(record),
        runner_(runner),
        store_(store),
        interrupted_(interrupted),
        on_progress_(on_progress),
        prepare_arm_(prepare_arm) {}

  Result<Conclusion> run() {
    for (;;) {
      const experiment::Step step = experiment_.next(record_.entries, 0);
      if (const auto* conclusion = std::get_if<Conclusion>(&step)) return conclude(*conclusion);
      const auto* job = std::get_if<Job>(&step);
      if (job == nullptr || job->runs.empty()) return fail("the experiment waits for nothing");
      if (on_progress_) on_progress_(experiment_.progress(), record_);
      if (auto done = make(*job); !done) return fail(done.error());
    }
  }

 private:
  // What no run of a job may wait for. False when the job cannot go on as it is: an arm does not
  // build, or it was interrupted.
  Result<bool> prepare(const Job& job) {
    if (!prepare_arm_) return true;
    for (const Run& run : job.runs) {
      auto builds = prepare_arm_(run.arm);
      if (!builds) return fail(builds.error());
      if (!*builds) {
        if (auto stored = commit(Stop{StopReason::interrupted, unix_ms()}); !stored)
          return fail(stored.error());
        return false;
      }
      bool ready = true;
      for (Build& build : **builds) {
        ready = build.ok;
        if (auto stored = commit(std::move(build)); !stored) return fail(stored.error());
      }
      if (!ready) return false;
    }
    return true;
  }

  Result<void> make(const Job& job) {
    const auto ready = prepare(job);
    if (!ready) return fail(ready.error());
    if (!*ready) return {};  // whether that ends the experiment is the experiment's to say
    for (const Run& run : job.runs) {
      auto trial = runner_.run(run);
      if (!trial) return fail(trial.error());
      if (!*trial) return commit(Stop{StopReason::interrupted, unix_ms()});
      const bool failed = (*trial)->exit != Exit{};
      if (auto stored = commit(std::move(**trial)); !stored) return stored;
      if (failed) break;  // whether that ends the experiment is the experiment's to say
      if (interrupted_) return commit(Stop{StopReason::interrupted, unix_ms()});
    }
    if (job.ends_block) return store_.make_durable();
    return {};
  }

  Result<void> commit(Entry entry) {
    if (auto stored = store_.append(record_.id, entry); !stored)
      return fail(stored.error().within("the last run could not be stored"));
    record_.entries.push_back(std::move(entry));
    return {};
  }

  Result<Conclusion> conclude(const Conclusion& conclusion) {
    record_.conclusion = conclusion;
    if (auto stored = store_.conclude(record_.id, conclusion); !stored)
      return fail(stored.error().within("the conclusion could not be stored"));
    if (auto durable = store_.make_durable(); !durable) return fail(durable.error());
    return conclusion;
  }

  experiment::Experiment& experiment_;
  Record& record_;
  measure::TrialRunner& runner_;
  history::Store& store_;
  const std::atomic<bool>& interrupted_;
  const OnProgress& on_progress_;
  const PrepareArm& prepare_arm_;
};

}  // namespace

Result<Conclusion> run_experiment(experiment::Experiment& experiment, Record& record,
                                  measure::TrialRunner& runner, history::Store& store,
                                  const std::atomic<bool>& interrupted,
                                  const OnProgress& on_progress, const PrepareArm& prepare_arm) {
  return Loop(experiment, record, runner, store, interrupted, on_progress, prepare_arm).run();
}

std::vector<Entry> entries_to_resume(std::vector<Entry> entries) {
  std::erase_if(entries, [](const Entry& entry) { return std::holds_alternative<Stop>(entry); });
  return entries;
}

}  // namespace assay::lab
