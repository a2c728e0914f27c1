// SPDX-License-Identifier: Apache-2.0
#include "lab/events.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "base/text.hpp"
#include "build/files.hpp"
#include "trace/exporters/trace_json.hpp"
#include "trace/importer.hpp"
#include "trace/load.hpp"
#include "trace/rules.hpp"

namespace assay::lab {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kLongestOffsetMs = 86'400'000;  // beyond a day the clocks are not one
constexpr std::size_t kMostSpansKept = 1'000'000;      // of one run

// A folder that goes when its owner does.
class ScratchFolder {
 public:
  static Result<std::unique_ptr<ScratchFolder>> make() {
    std::error_code bad;
    std::string pattern = (fs::temp_directory_path(bad) / "assay-events-XXXXXX").string();
    if (bad || ::mkdtemp(pattern.data()) == nullptr)
      return fail(system_error("no folder for the events of the runs", errno, pattern));
    auto made = std::make_unique<ScratchFolder>();
    made->path_ = pattern;
    return made;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  ScratchFolder() = default;
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  std::string path(std::string_view name) const { return path_ + "/" + std::string(name); }

 private:
  std::string path_;
};

// Events without which a stage's mean is of other spans than it says.
std::uint64_t lost_events(const trace::Trace& trace) {
  using trace::Loss;
  std::uint64_t lost = 0;
  for (const Loss kind :
       {Loss::torn_line, Loss::long_line, Loss::bad_field, Loss::missing_begin, Loss::missing_end,
        Loss::negative_span, Loss::dropped_by_writer, Loss::malformed_record})
    lost += trace.lost(kind);
  return lost;
}

class Collector final : public EventsRunner {
 public:
  Collector(const Plan& plan, std::unique_ptr<ScratchFolder> scratch)
      : plan_(plan), scratch_(std::move(scratch)), any_read_(plan.arms.size(), false) {}

  Result<void> prepare(const std::atomic<bool>& interrupted) {
    const EventsPlan& events = *plan_.events;
    if (!events.rules.empty()) {
      auto rules = trace::parse_rules(events.rules, events.rules_name);
      if (!rules) return fail(rules.error());
      rules_ = std::make_unique<trace::Rules>(std::move(*rules));
    }
    measure::OutputCopies copies;
    if (events.source == "stdout") copies.out = scratch_->path("log");
    if (events.source == "stderr") copies.err = scratch_->path("log");
    if (events.source == "emitter") {
      for (Subject& arm : plan_.arms)
        arm.env.emplace_back("ASSAY_EVENTS", scratch_->path("events"));
    }
    if (auto free = check_files(); !free) return free;
    if (auto logs = make_log_folder(); !logs) return logs;
    auto inner = measure::TrialRunner::start(plan_, interrupted, copies);
    if (!inner) return fail(inner.error());
    inner_ = std::move(*inner);
    return {};
  }

  void keep_in(const std::string& folder) override { folder_ = folder; }

  Result<std::optional<Trial>> run(const Run& run) override {
    const std::string log = log_of(run.arm);
    remove(log);
    auto trial = inner_->run(run);
    if (trial && *trial && (*trial)->exit == Exit{}) {
      Result<void> read = take(log, **trial);
      remove(log);
      if (read) return trial;
      Error error = read.error();
      error.where = plan_.arms[run.arm].label;  // not a file that is gone
      // Before an hour of runs without events.
      if (!any_read_[run.arm]) return fail(error);
      warn("the events of a run could not be read: " + error.to_text());
    }
    remove(log);
    return trial;
  }

  Result<void> replace_arm(std::uint32_t arm, const Subject& subject) override {
    return inner_->replace_arm(arm, subject);
  }
  Result<void> setup(std::uint32_t arm) override { return inner_->setup(arm); }
  Result<void> cleanup(std::uint32_t arm) override { return inner_->cleanup(arm); }
  std::vector<Warning> warnings() const override {
    std::vector<Warning> all = inner_->warnings();
    all.insert(all.end(), warnings_.begin(), warnings_.end());
    return all;
  }

 private:
  bool is_file() const {
    const std::string& source = plan_.events->source;
    return source != "stdout" && source != "stderr" && source != "emitter";
  }

  // Where the events of a run of `arm` are found.
  std::string log_of(std::uint32_t arm) const {
    if (plan_.events->source == "emitter") return scratch_->path("events");
    if (!is_file()) return scratch_->path("log");
    const fs::path file(plan_.events->source);
    const std::string& cwd = plan_.arms[arm].cwd;
    return (file.is_absolute() || cwd.empty() ? file : fs::path(cwd) / file).string();
  }

  // A file of the user's own is never removed: only what the runs leave.
  Result<void> check_files() const {
    if (!is_file()) return {};
    for (std::uint32_t arm = 0; arm < plan_.arms.size(); ++arm) {
      const std::string file = log_of(arm);
      std::error_code ignored;
      if (fs::is_directory(file, ignored))
        return fail("--events names a folder", file,
                    "for a program that uses assay's emitter: --events emitter");
      if (fs::exists(file, ignored))
        return fail("the events file is there already, and every run must write it anew", file,
                    "move it away; assay removes what each run leaves there");
    }
    return {};
  }

  Result<void> make_log_folder() const {
    if (plan_.events->logs.empty()) return {};
    std::error_code bad;
    fs::create_directories(plan_.events->logs, bad);
    if (bad)
      return fail("the folder for logs cannot be made: " + bad.message(), plan_.events->logs);
    return {};
  }

  void remove(const std::string& log) const {
    std::error_code ignored;
    fs::remove_all(log, ignored);
  }

  Result<void> take(const std::string& log, Trial& trial) {
    std::error_code ignored;
    const fs::file_status status = fs::status(log, ignored);
    if (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status))
      return fail("the events of the run are neither a file nor a folder", log,
                  "a pipe or a device cannot be read after the run");
    if (!fs::exists(status) || (fs::is_regular_file(status) && fs::file_size(log, ignored) == 0))
      return fail(is_file() || plan_.events->source == "emitter"
                      ? "the run wrote no events"
                      : "the run printed nothing to " + plan_.events->source,
                  log,
                  plan_.events->source == "emitter"
                      ? "does the program use assay/trace.hpp? else name its log: --events FILE, "
                        "stdout or stderr"
                      : "the program must write this file in every run");
    keep_log(log, trial);
    trace::ImportOptions options;
    options.rules = rules_.get();
    auto trace = trace::load_trace(log, plan_.events->format, options);
    if (!trace) return fail(trace.error());
    std::vector<StageReading> stages = stage_readings(*trace);
    if (stages.empty())
      return fail("no stage was found in the events of a run", log,
                  "'assay trace rules --suggest LOG' proposes rules for a log");
    any_read_[trial.arm] = true;
    // The spans that are left of a log with holes are not like those that are gone.
    if (const std::uint64_t lost = lost_events(*trace); lost > 0)
      warn(fmt::format(
          "events were lost in runs of {} (in the first of them {}): those runs give no "
          "values for the stages",
          plan_.arms[trial.arm].label, lost));
    else
      trial.stages = std::move(stages);
    add_memory(*trace, trial);
    if (trial.warmup) return {};
    return keep(*trace, trial);
  }

  // What assay sampled of the run's processes, where the program says nothing of its memory.
  // Without Unix times the log's clock is taken to begin with the run. Hooks make that start
  // unknown.
  void add_memory(trace::Trace& trace, const Trial& trial) const {
    const Subject& arm = plan_.arms[trial.arm];
    const bool known = arm.prepare.empty() && plan_.run.cooldown_s == 0;
    if (!trace.memory.empty() || trial.memory.empty() || !known) return;
    trace::MemorySeries series{.scope = "tree", .method = "resident sizes, sampled by assay"};
    trace::Nanos begin = 0;
    if (trace.clock.epoch_ns) {
      const std::int64_t epoch_ms = *trace.clock.epoch_ns / 1'000'000;
      if (std::abs(trial.started_at_ms - epoch_ms) > kLongestOffsetMs) return;
      begin = (trial.started_at_ms - epoch_ms) * 1'000'000;
    }
    for (const MemorySample& sample : trial.memory) {
      series.at.push_back(begin + sample.at.count());
      series.bytes.push_back(sample.tree_bytes);
    }
    trace.memory.push_back(std::move(series));
  }

  Result<void> keep(const trace::Trace& trace, const Trial& trial) {
    if (folder_.empty()) return {};
    if (trace.spans.size() > kMostSpansKept) {
      warn(
          fmt::format("a run has {} spans: the stages are read, the traces are not kept (at most "
                      "{} spans a run)",
                      trace.spans.size(), kMostSpansKept));
      return {};
    }
    auto packed = trace::trace_json_zst(trace);
    if (!packed) return fail(packed.error());
    std::error_code ignored;
    fs::create_directories(folder_, ignored);
    auto kept = build::write_file(events_file(folder_, trial.block, trial.slot), *packed);
    if (!kept) return fail(kept.error().within("the events of a run cannot be kept"));
    return {};
  }

  // --log: the raw log, by side and order.
  void keep_log(const std::string& log, const Trial& trial) {
    const std::string& folder = plan_.events->logs;
    if (folder.empty()) return;
    const std::string name =
        fmt::format("{}-{:03}-{:02}", static_cast<char>('A' + trial.arm), trial.block, trial.slot);
    const fs::path to = fs::path(folder) / (fs::is_directory(log) ? name : name + ".log");
    std::error_code bad;
    fs::copy(log, to, fs::copy_options::recursive | fs::copy_options::overwrite_existing, bad);
    if (bad) warn("a log could not be kept: " + bad.message() + ": " + to.string());
  }

  // Once for each text, as far as its first figure.
  void warn(std::string text) {
    const std::string head = text.substr(0, text.find_first_of("0123456789"));
    for (const Warning& warning : warnings_)
      if (warning.text.starts_with(head)) return;
    warnings_.push_back({WarningKind::events, std::move(text)});
  }

  Plan plan_;
  std::unique_ptr<ScratchFolder> scratch_;
  std::unique_ptr<trace::Rules> rules_;
  std::unique_ptr<measure::TrialRunner> inner_;
  std::string folder_;
  std::vector<bool> any_read_;  // by arm
  std::vector<Warning> warnings_;
};

}  // namespace

Result<std::unique_ptr<EventsRunner>> EventsRunner::start(const Plan& plan,
                                                          const std::atomic<bool>& interrupted) {
  auto scratch = ScratchFolder::make();
  if (!scratch) return fail(scratch.error());
  auto made = std::make_unique<Collector>(plan, std::move(*scratch));
  if (auto ready = made->prepare(interrupted); !ready) return fail(ready.error());
  return std::unique_ptr<EventsRunner>(std::move(made));
}

std::string events_folder(const std::string& store_path, const std::string& record_id) {
  return (fs::path(store_path).parent_path() / "events" / record_id).string();
}

std::string events_file(const std::string& folder, std::uint32_t block, std::uint32_t slot) {
  return fmt::format("{}/{}-{}.json.zst", folder, block, slot);
}

std::uint64_t remove_events(const std::string& store_path,
                            const std::function<bool(const std::string& record_id)>& is_kept,
                            bool dry_run) {
  std::uint64_t bytes = 0;
  std::error_code bad;
  std::vector<fs::path> gone;
  for (const auto& entry :
       fs::directory_iterator(fs::path(store_path).parent_path() / "events", bad))
    if (!is_kept(entry.path().filename().string())) gone.push_back(entry.path());
  for (const fs::path& folder : gone) {
    for (const auto& file : fs::recursive_directory_iterator(folder, bad))
      if (file.is_regular_file(bad)) bytes += file.file_size(bad);
    if (!dry_run) fs::remove_all(folder, bad);
  }
  return bytes;
}

std::vector<StageReading> stage_readings(const trace::Trace& trace) {
  struct Sum {
    std::array<double, trace::kSpanKinds> seconds{};
    std::array<std::uint64_t, trace::kSpanKinds> spans{};
  };
  std::vector<Sum> sums(trace.stages.size());
  for (std::size_t i = 0; i < trace.spans.size(); ++i) {
    if (trace.spans.quality[i] == trace::Quality::clipped) continue;
    const auto kind = static_cast<std::size_t>(trace.spans.kind[i]);
    Sum& sum = sums[trace.spans.stage[i]];
    sum.seconds[kind] += static_cast<double>(trace.spans.end[i] - trace.spans.begin[i]) * 1e-9;
    ++sum.spans[kind];
  }
  std::vector<StageReading> readings;
  for (std::size_t stage = 0; stage < sums.size(); ++stage) {
    const Sum& sum = sums[stage];
    const auto mean = [&](trace::SpanKind kind) -> std::optional<double> {
      const auto k = static_cast<std::size_t>(kind);
      if (sum.spans[k] == 0) return std::nullopt;
      return sum.seconds[k] / static_cast<double>(sum.spans[k]);
    };
    const auto service = mean(trace::SpanKind::service);
    if (!service) continue;
    readings.push_back({.stage = trace.stages[stage].name,
                        .spans = sum.spans[static_cast<std::size_t>(trace::SpanKind::service)],
                        .service_s = *service,
                        .queue_wait_s = mean(trace::SpanKind::queue_wait),
                        .blocked_send_s = mean(trace::SpanKind::blocked_send),
                        .lock_wait_s = mean(trace::SpanKind::lock_wait)});
  }
  return readings;
}

}  // namespace assay::lab
