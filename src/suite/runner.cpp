// SPDX-License-Identifier: Apache-2.0
#include "suite/runner.hpp"

#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <set>
#include <span>

#include "base/system.hpp"
#include "base/text.hpp"
#include "suite/adapter.hpp"
#include "suite/last_words.hpp"
#include "suite/reconcile.hpp"

namespace assay::suite {
namespace {

namespace fs = std::filesystem;

// A folder that goes when its owner does.
class ResultFolder {
 public:
  static Result<std::unique_ptr<ResultFolder>> make() {
    std::error_code bad;
    std::string pattern = (fs::temp_directory_path(bad) / "assay-suite-XXXXXX").string();
    if (bad || ::mkdtemp(pattern.data()) == nullptr)
      return fail(system_error("no folder for the results of the suite", errno, pattern));
    auto made = std::make_unique<ResultFolder>();
    made->path_ = pattern;
    return made;
  }
  ResultFolder() = default;
  ResultFolder(const ResultFolder&) = delete;
  ResultFolder& operator=(const ResultFolder&) = delete;
  ~ResultFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }

  std::string path(std::string_view name) const { return path_ + "/" + std::string(name); }
  // Nothing of the run before is left for the next one to be read as its own.
  void clear() const {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(path_, ignored))
      fs::remove_all(entry.path(), ignored);
  }

 private:
  std::string path_;
};

class Runner final : public SuiteRunner {
 public:
  Runner(const Plan& plan, std::unique_ptr<Adapter> adapter, std::unique_ptr<ResultFolder> folder)
      : kind_(plan.kind),
        suite_(*plan.suite),
        arms_(plan.arms),
        adapter_(std::move(adapter)),
        folder_(std::move(folder)) {}

  Result<void> prepare(const Plan& plan, const std::atomic<bool>& interrupted) {
    auto inner = measure::TrialRunner::start(
        plan, interrupted, {.out = folder_->path("out"), .err = folder_->path("err")});
    if (!inner) return fail(inner.error());
    inner_ = std::move(*inner);
    return {};
  }

  Result<std::optional<Trial>> run(const Run& run) override {
    std::vector<const SuiteUnit*> units;
    for (const std::uint32_t unit : run.units) {
      if (unit >= suite_.units.size())
        return fail(fmt::format("unit {} of a suite of {}: the record is damaged", unit,
                                suite_.units.size()));
      units.push_back(&suite_.units[unit]);
    }
    const auto invocation = adapter_->invocation(arms_[run.arm], units, folder_->path("results"));
    if (!invocation) return fail(invocation.error());
    Subject subject = arms_[run.arm];
    subject.argv = invocation->argv;
    subject.env.insert(subject.env.end(), invocation->env.begin(), invocation->env.end());
    if (auto ready = inner_->replace_arm(run.arm, subject); !ready) return fail(ready.error());
    folder_->clear();
    for (const auto& [path, text] : invocation->files)
      if (!(std::ofstream(path, std::ios::binary) << text))
        return fail(system_error("a file for the suite cannot be written", errno, path));
    auto trial = inner_->run(run);
    if (!trial || !*trial) return trial;
    (*trial)->units = run.units;
    take_results(**trial);
    return trial;
  }

  Result<void> replace_arm(std::uint32_t arm, const Subject& subject) override {
    arms_[arm] = subject;
    return inner_->replace_arm(arm, subject);
  }
  Result<void> setup(std::uint32_t arm) override { return inner_->setup(arm); }
  Result<void> cleanup(std::uint32_t arm) override { return inner_->cleanup(arm); }
  std::vector<Warning> warnings() const override {
    std::vector<Warning> all = inner_->warnings();
    for (const Doubt& doubt : doubts_) {
      // What is so on either side cancels out where sides are compared.
      if (doubt.of_level && kind_ != PlanKind::suite_run && doubt.arms.size() == arms_.size())
        continue;
      const std::string others =
          doubt.who.size() > 1 ? fmt::format(" and {} more", doubt.who.size() - 1) : std::string();
      all.push_back({WarningKind::suite, doubt.who.front() + others + ": " + doubt.text});
    }
    return all;
  }

 private:
  // Empty when the process left none; `unreadable` says why one that is there could not be read.
  std::string text_of(std::string_view name, std::string& unreadable) {
    const std::string path = folder_->path(name);
    if (!System::real().exists(path)) return {};
    const char* whose = name == "results" ? "the results that it wrote could not be read: "
                                          : "what it printed could not be read: ";
    // Whoever opens a pipe that nobody writes to waits without end.
    std::error_code bad;
    if (!fs::is_regular_file(path, bad)) {
      unreadable = std::string(whose) + "they are no file";
      return {};
    }
    auto text = System::real().read_file(path);
    if (text) return std::move(*text);
    unreadable = whose + text.error().what + "; make it say less";
    return {};
  }

  void take_results(Trial& trial) {
    std::string unreadable;
    const std::optional<Error> uncopied = inner_->copy_error();
    const Leavings leavings{.out = text_of("out", unreadable),
                            .err = text_of("err", unreadable),
                            .results = text_of("results", unreadable),
                            .exit = trial.exit,
                            .twice = has_repeats(trial),
                            .cut = trial.exit != Exit{} || uncopied};
    if (uncopied) unreadable = "what it printed could not be kept: " + uncopied->what;
    Reading reading = adapter_->read(leavings);
    if (reading.measurements.empty() && trial.exit.how == Ending::exited && trial.exit.code != 0)
      if (const std::string words = last_words(leavings.err, leavings.out); !words.empty())
        reading.doubts = {
            fmt::format("it exited with status {}, and said: {}", trial.exit.code, words)};
    if (!unreadable.empty()) reading.doubts = {unreadable};  // the adapter took it for silence
    const std::vector<std::string> doubts = std::move(reading.doubts);
    const std::vector<std::string> level_doubts = std::move(reading.level_doubts);
    trial.measurements = reconcile(suite_, trial.units, std::move(reading), trial.exit);
    if (!unreadable.empty())
      for (Measurement& one : trial.measurements)
        if (one.status == MeasurementStatus::missing) one.message = unreadable;
    const std::string name =
        trial.units.size() == 1 ? "unit " + suite_.units[trial.units.front()].name : "the suite";
    for (const std::string& doubt : doubts) note(doubt, name, trial.arm, false);
    for (const std::string& doubt : level_doubts) note(doubt, name, trial.arm, true);
  }

  // Once for each text, with whom it is of.
  void note(const std::string& text, const std::string& who, std::uint32_t arm, bool of_level) {
    auto at = std::ranges::find(doubts_, text, &Doubt::text);
    if (at == doubts_.end()) {
      if (doubts_.size() == kMostDoubts) return;
      at = doubts_.insert(at, {.text = text, .who = {}, .arms = {}, .of_level = of_level});
    }
    at->arms.insert(arm);
    if (std::ranges::find(at->who, who) == at->who.end()) at->who.push_back(who);
  }

  struct Doubt {
    std::string text;
    std::vector<std::string> who;
    std::set<std::uint32_t> arms;
    bool of_level = false;
  };
  static constexpr std::size_t kMostDoubts = 50;

  PlanKind kind_;
  SuitePlan suite_;
  std::vector<Subject> arms_;
  std::unique_ptr<Adapter> adapter_;
  std::unique_ptr<ResultFolder> folder_;
  std::unique_ptr<measure::TrialRunner> inner_;
  std::vector<Doubt> doubts_;
};

}  // namespace

Result<std::unique_ptr<SuiteRunner>> SuiteRunner::start(const Plan& plan,
                                                        const std::atomic<bool>& interrupted) {
  auto adapter = make_adapter(*plan.suite);
  if (!adapter) return fail(adapter.error());
  auto folder = ResultFolder::make();
  if (!folder) return fail(folder.error());
  auto made = std::make_unique<Runner>(plan, std::move(*adapter), std::move(*folder));
  if (auto ready = made->prepare(plan, interrupted); !ready) return fail(ready.error());
  return std::unique_ptr<SuiteRunner>(std::move(made));
}

}  // namespace assay::suite
