// SPDX-License-Identifier: Apache-2.0
#include "lab/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>

#include "base/clock.hpp"
#include "base/text.hpp"
#include "lab/arm_builder.hpp"
#include "lab/events.hpp"
#include "lab/machine_lock.hpp"
#include "lab/subjects.hpp"
#include "measure/host.hpp"
#include "suite/list.hpp"
#include "suite/runner.hpp"

namespace assay::lab {
namespace {

constexpr std::int64_t kDayMs = 86'400'000;
constexpr std::int64_t kRerunWindowMs = 7 * kDayMs;   // rule.md section 8
constexpr std::int64_t kFloorWindowMs = 30 * kDayMs;  // rule.md section 5
constexpr std::size_t kShortCommit = 10;
constexpr std::size_t kLabelWidth = 200;  // columns, in messages

double seconds_of(const Build& build) {
  return std::chrono::duration<double>(build.duration).count();
}

// One experiment on this machine, from the lock to the last cleanup.
class Session {
 public:
  Session(const SessionOptions& options, const SessionEvents& events,
          const std::atomic<bool>& interrupted)
      : options_(options), events_(events), interrupted_(interrupted) {}

  Result<Record> start(Plan plan) {
    if (auto valid = experiment::check_plan(plan); !valid) return fail(valid.error());
    if (auto opened = open(); !opened) return fail(opened.error());
    record_.plan = std::move(plan);
    record_.created_at_ms = unix_ms();
    record_.host = measure::read_host();
    if (auto locked = lock(); !locked) return fail(locked.error());
    auto built = build_arms();
    if (!built) return fail(built.error());
    identify();
    // Before the record exists: a command that cannot be run is bad input, not a failed experiment.
    if (*built) {
      if (auto listed = list_suite(); !listed) return fail(listed.error());
      if (auto ready = make_runner(); !ready) return fail(ready.error());
    }
    auto id = store_->create(record_);
    if (!id) return fail(id.error());
    record_.id = *id;
    if (events_.on_start) events_.on_start(record_);
    for (const Build& build : builds_)
      if (auto stored = append(build); !stored) return fail(stored.error());
    if (!*built) return conclude_without_runs();
    return measure();
  }

  Result<Record> resume(const std::string& id) {
    if (auto opened = open(); !opened) return fail(opened.error());
    auto found = id.empty() ? newest_unfinished() : Result<std::string>(id);
    if (!found) return fail(found.error());
    // As its only writer from here on: nobody adds runs while this waits for the machine.
    auto loaded = store_->load_to_continue(*found);
    if (!loaded) return fail(loaded.error());
    record_ = std::move(*loaded);
    record_.conclusion.reset();
    record_.entries = entries_to_resume(std::move(record_.entries));
    if (auto locked = lock(); !locked) return fail(locked.error());
    // Cached, unless somebody removed them; the paths are the same again.
    auto built = build_arms();
    if (!built) return fail(built.error());
    if (!*built)
      return fail("a revision of record " + record_.id + " " + build_failure(), {},
                  "'assay show " + record_.id + "' prints what was measured");
    if (auto same = same_subjects(); !same) return fail(same.error());
    if (auto ready = make_runner(); !ready) return fail(ready.error());
    if (events_.on_start) events_.on_start(record_);
    return measure();
  }

 private:
  Result<void> open() {
    auto store = history::open_store(options_.store_path);
    if (!store) return fail(store.error());
    store_ = std::move(*store);
    builder_ = std::make_unique<ArmBuilder>(
        store_folder(), BuildEvents{events_.on_build, events_.on_built, events_.on_build_line},
        interrupted_);
    return {};
  }

  Result<std::string> newest_unfinished() {
    auto records = store_->list();
    if (!records) return fail(records.error());
    for (const history::Summary& summary : *records)
      if (summary.interrupted) return summary.id;
    for (const history::Summary& summary : *records)
      if (summary.running)
        return fail("record " + summary.id +
                        " is being written by another process, and no other "
                        "one can be resumed",
                    options_.store_path);
    return fail("no record can be resumed", options_.store_path,
                "'assay list' shows what is there");
  }

  Result<void> lock() {
    std::string what(options_.purpose);
    auto held =
        MachineLock::acquire(what, options_.wait_for_machine, events_.on_wait, interrupted_);
    if (!held) return fail(held.error());
    lock_ = std::make_unique<MachineLock>(std::move(*held));
    return {};
  }

  std::string store_folder() const {
    return std::filesystem::path(options_.store_path).parent_path().string();
  }

  // An experiment over many arms builds an arm when it first asks for it; the others build all in
  // front, and need all.
  bool builds_later() const { return record_.plan.design.has_value(); }

  bool is_unbuilt(const Subject& subject) const { return builds_later() && subject.build; }

  // "does not build", as the end of a sentence about a revision.
  const std::string& build_failure() const { return builds_.back().reason; }

  // Builds every arm that names a revision, all within the time budget. false: one did not build;
  // the last of builds_ says which.
  Result<bool> build_arms() {
    if (builds_later()) return true;
    const double budget = record_.plan.time_budget_s;
    double left = budget;
    for (std::uint32_t arm = 0; arm < record_.plan.arms.size(); ++arm) {
      if (!record_.plan.arms[arm].build) continue;
      auto built =
          builder_->build(record_.plan, arm, left, "the time budget of " + format_duration(budget));
      if (!built) return fail(built.error());
      if (!*built)
        return fail("interrupted while building", {},
                    "nothing was measured; finished builds are kept");
      if (left > 0) left = std::max(1e-3, left - seconds_of(**built));
      builds_.push_back(std::move(**built));
      if (!builds_.back().ok) return false;
    }
    return true;
  }

  // The units of a suite that had to be built first.
  Result<void> list_suite() {
    if (!record_.plan.suite || !record_.plan.suite->units.empty()) return {};
    const auto listed =
        suite::list_units(record_.plan.arms.front(), *record_.plan.suite, &interrupted_);
    if (!listed) return fail(listed.error());
    if (!*listed) return fail("interrupted while listing the suite", {}, "nothing was measured");
    suite_doubts_ = **listed;
    if (record_.plan.kind == PlanKind::suite_compare && record_.plan.arms.size() > 1)
      if (const auto more =
              suite::list_more_units(record_.plan.arms[1], *record_.plan.suite, &interrupted_);
          !more)
        return fail(more.error());
    return experiment::check_plan(record_.plan);
  }

  // In front of an arm's first run: its build, where it needs one, and its setup command.
  Result<std::optional<std::vector<Build>>> prepare_arm(std::uint32_t arm) {
    std::vector<Build> builds;
    if (is_set_up_[arm]) return std::optional(builds);
    Subject& subject = record_.plan.arms[arm];
    if (subject.build) {
      const double limit = record_.plan.design->build_timeout_s;
      auto built =
          builder_->build(record_.plan, arm, limit, format_duration(limit) + " (--build-timeout)");
      if (!built) return fail(built.error());
      if (!*built) return std::optional<std::vector<Build>>();
      builds.push_back(std::move(**built));
      if (!builds.back().ok) return std::optional(builds);
      if (auto runs = runner_->replace_arm(arm, subject); !runs) {
        builds.back().ok = false;
        builds.back().reason = runs.error().what;
        return std::optional(builds);
      }
    }
    if (auto done = runner_->setup(arm); !done) return fail(done.error());
    is_set_up_[arm] = true;
    return std::optional(builds);
  }

  // Digests, noise floors and earlier runs of the same comparison: what the store knows of it.
  void identify() {
    Plan& plan = record_.plan;
    for (Subject& subject : plan.arms)
      if (!is_unbuilt(subject)) digest_executable(subject);
    if (plan.kind != PlanKind::compare) return;
    const std::int64_t now = record_.created_at_ms;
    if (auto earlier = store_->earlier_runs(history::comparison_key(plan), now - kRerunWindowMs))
      for (const history::EarlierRun& run : *earlier) plan.earlier_p.push_back(run.p_seq);
    for (const Subject& subject : plan.arms) {
      auto floors = store_->floors(record_.host.fingerprint, history::subject_key(subject),
                                   now - kFloorWindowMs);
      if (!floors || floors->empty()) continue;
      plan.floors = *floors;
      break;
    }
  }

  // A resumed comparison must run what the interrupted one ran.
  Result<void> same_subjects() const {
    for (const Subject& subject : record_.plan.arms) {
      if (is_unbuilt(subject)) continue;
      Subject now = subject;
      digest_executable(now);
      if (now.binary_digest == subject.binary_digest) continue;
      return fail("the executable of '" + shorten(subject.label, kLabelWidth) +
                      "' has changed since " + record_.id + " began",
                  {}, "old and new runs cannot be mixed: start a new comparison");
    }
    return {};
  }

  Result<void> append(Entry entry) {
    if (auto stored = store_->append(record_.id, entry); !stored) return stored;
    record_.entries.push_back(std::move(entry));
    return {};
  }

  Result<Record> conclude_without_runs() {
    const BuildSpec& build = *record_.plan.arms[builds_.back().arm].build;
    Conclusion conclusion;
    conclusion.overall = Verdict::failed;
    conclusion.ended_by = EndedBy::failure;
    conclusion.failure = fmt::format("{} ({}) {}", build.revision,
                                     build.commit.substr(0, kShortCommit), build_failure());
    record_.conclusion = conclusion;
    if (auto stored = store_->conclude(record_.id, conclusion); !stored)
      return fail(stored.error());
    return std::move(record_);
  }

  Result<std::unique_ptr<measure::TrialRunner>> start_runner() {
    if (record_.plan.suite) {
      auto runner = suite::SuiteRunner::start(record_.plan, interrupted_);
      if (!runner) return fail(runner.error());
      return std::unique_ptr<measure::TrialRunner>(std::move(*runner));
    }
    if (!record_.plan.events) return measure::TrialRunner::start(record_.plan, interrupted_);
    auto runner = EventsRunner::start(record_.plan, interrupted_);
    if (!runner) return fail(runner.error());
    events_runner_ = runner->get();
    return std::unique_ptr<measure::TrialRunner>(std::move(*runner));
  }

  Result<void> make_runner() {
    auto runner = start_runner();
    if (!runner && record_.plan.arms[0].build)
      return fail(
          Error{runner.error().what, runner.error().where,
                "looked for in the tree of the revision: commit it, or make it with --build"});
    if (!runner) return fail(runner.error());
    runner_ = std::move(*runner);
    return {};
  }

  Result<Record> measure() {
    const auto experiment = experiment::make_experiment(record_.plan);
    if (events_runner_ != nullptr)
      events_runner_->keep_in(events_folder(options_.store_path, record_.id));
    auto done = set_up();
    if (done) done = loop(*experiment);
    auto cleaned = clean_up();
    if (!done) {
      // Nothing was measured: no record that 'resume' would stumble over for ever.
      if (std::none_of(record_.entries.begin(), record_.entries.end(),
                       [](const Entry& entry) { return std::holds_alternative<Trial>(entry); }))
        (void)store_->remove(record_.id);
      return fail(done.error());
    }
    // The answer is there; a cleanup that failed does not take it away.
    if (!cleaned) {
      record_.conclusion->warnings.push_back({WarningKind::host, cleaned.error().to_text()});
      if (auto stored = store_->conclude(record_.id, *record_.conclusion); !stored)
        return fail(stored.error());
    }
    return std::move(record_);
  }

  Result<void> set_up() {
    is_set_up_.assign(record_.plan.arms.size(), false);
    if (builds_later()) return {};
    for (std::uint32_t arm = 0; arm < is_set_up_.size(); ++arm) {
      if (auto done = runner_->setup(arm); !done) return done;
      is_set_up_[arm] = true;
    }
    return {};
  }

  Result<void> clean_up() {
    Result<void> first;
    for (std::uint32_t arm = 0; arm < is_set_up_.size(); ++arm)
      if (is_set_up_[arm])
        if (auto done = runner_->cleanup(arm); !done && first) first = fail(done.error());
    return first;
  }

  Result<void> loop(experiment::Experiment& experiment) {
    auto conclusion =
        run_experiment(experiment, record_, *runner_, *store_, interrupted_, events_.on_progress,
                       [this](std::uint32_t arm) { return prepare_arm(arm); });
    if (!conclusion) return fail(conclusion.error());
    for (Warning& warning : runner_->warnings())
      record_.conclusion->warnings.push_back(std::move(warning));
    for (const std::string& doubt : suite_doubts_)
      record_.conclusion->warnings.push_back({WarningKind::suite, doubt});
    for (const Warning& warning : builder_->warnings())
      record_.conclusion->warnings.push_back(warning);
    if (auto stored = store_->conclude(record_.id, *record_.conclusion); !stored)
      return fail(stored.error());
    return keep_floors();
  }

  // What calibrate found is used by later comparisons on this host.
  Result<void> keep_floors() {
    for (const Conclusion::Floor& floor : record_.conclusion->floors) {
      const NoiseFloor kept{.metric = record_.plan.metrics[floor.metric].name,
                            .sys_sigma = floor.sys_sigma,
                            .sys_k = floor.sys_k,
                            .pair_sigma = floor.pair_sigma,
                            .measured_at_ms = record_.created_at_ms};
      const std::string key = history::subject_key(record_.plan.arms[0]);
      if (auto stored = store_->put_floor(record_.host.fingerprint, key, kept); !stored)
        return stored;
    }
    return {};
  }

  const SessionOptions& options_;
  const SessionEvents& events_;
  const std::atomic<bool>& interrupted_;
  std::unique_ptr<history::Store> store_;
  std::unique_ptr<MachineLock> lock_;
  std::unique_ptr<measure::TrialRunner> runner_;
  EventsRunner* events_runner_ = nullptr;  // runner_, with --events
  Record record_;
  std::vector<Build> builds_;
  std::unique_ptr<ArmBuilder> builder_;
  std::vector<bool> is_set_up_;            // by arm
  std::vector<std::string> suite_doubts_;  // about its listing
};

}  // namespace

Result<Record> run_plan(Plan plan, const SessionOptions& options, const SessionEvents& events,
                        const std::atomic<bool>& interrupted) {
  return Session(options, events, interrupted).start(std::move(plan));
}

Result<Record> resume_record(const std::string& id, const SessionOptions& options,
                             const SessionEvents& events, const std::atomic<bool>& interrupted) {
  return Session(options, events, interrupted).resume(id);
}

}  // namespace assay::lab
