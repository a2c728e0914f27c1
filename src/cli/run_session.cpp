// SPDX-License-Identifier: Apache-2.0
#include "cli/run_session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "base/text.hpp"
#include "build/cache.hpp"
#include "cli/interrupt.hpp"
#include "cli/report_record.hpp"
#include "cli/store_access.hpp"
#include "experiment/forecast.hpp"
#include "lab/session.hpp"
#include "model/words.hpp"
#include "report/progress.hpp"

namespace assay::cli {
namespace {

constexpr std::chrono::milliseconds kRefresh{100};
constexpr std::size_t kLabelWidth = 200;  // columns, in messages
constexpr std::int64_t kMirrorsStayMs = 86'400'000;

// The price once the warm-up told how long a run takes, then a line a block.
class Narrator {
 public:
  explicit Narrator(Terminal& terminal) : terminal_(terminal) {}

  lab::SessionEvents events() {
    return {.on_wait = [this](const std::string& holder) { terminal_.note("waiting: " + holder); },
            .on_build_line =
                [this](const std::string& line) { terminal_.progress("  " + printable(line)); },
            .on_build =
                [this](const std::string& text) {
                  has_builds_ = true;
                  terminal_.progress(text);
                },
            .on_built = [this](const std::string& text) { terminal_.note(text); },
            .on_start = [this](const Record& record) { started(record); },
            .on_progress = [this](const experiment::Progress& progress,
                                  const Record& record) { advanced(progress, record); }};
  }

  const std::string& id() const { return id_; }
  bool has_runs() const { return has_runs_; }
  bool has_builds() const { return has_builds_; }

 private:
  void started(const Record& record) {
    id_ = record.id;
    terminal_.progress("warming up");
  }

  void advanced(const experiment::Progress& progress, const Record& record) {
    has_runs_ = progress.runs_done > 0;
    if (!priced_ && has_runs_) {
      priced_ = true;
      const experiment::Forecast cost = experiment::forecast(record.plan);
      terminal_.note(
          report::price_text({.expected_runs = cost.likely_runs,
                              .most_runs = cost.most_runs,
                              .seconds_per_run = progress.seconds_used / progress.runs_done,
                              .budget_s = record.plan.time_budget_s}));
    }
    // Short runs end faster than anybody reads, and every line costs a little between two of them.
    const auto now = std::chrono::steady_clock::now();
    if (terminal_.quiet() || now - shown_at_ < kRefresh) return;
    shown_at_ = now;
    report::TextOptions options = text_options(terminal_);
    options.colour = false;  // a live line obeys no sequences
    terminal_.progress(report::progress_line(record.plan,
                                             {.blocks_done = progress.blocks_done,
                                              .runs_done = progress.runs_done,
                                              .seconds_left = progress.seconds_left,
                                              .findings = progress.findings,
                                              .status = progress.status},
                                             options));
  }

  Terminal& terminal_;
  std::string id_;
  bool priced_ = false, has_runs_ = false, has_builds_ = false;
  std::chrono::steady_clock::time_point shown_at_{};
};

ReportFiles report_files(const Arguments& arguments, const std::string& store) {
  const bool has_html = find_flag(arguments.spec(), "html") != nullptr;
  return {.json = arguments.value("json"),
          .markdown = arguments.value("markdown"),
          .html = has_html ? arguments.value("html") : std::nullopt,
          .store = store};
}

// What an experiment that could not go on means: bad input before it began, "not measured"
// afterwards.
int report_error(const Error& error, const Narrator& narrator, const std::string& store,
                 bool interrupted, Terminal& terminal) {
  std::error_code unknown;
  if (narrator.has_runs() && std::filesystem::exists(store, unknown))
    terminal.note(fmt::format(
        "what was measured is in record {}; 'assay resume {}' goes on once the cause is mended",
        narrator.id(), narrator.id()));
  return terminal.error(error, interrupted             ? kInterrupted
                               : narrator.id().empty() ? kBadInput
                                                       : kNotMeasured);
}

// Experiments over many arms make many builds: what is over the bound goes once they are not in use
// any more. The mirrors of the day stay, lest the next experiment has to copy a history again.
void bound_cache(const Narrator& narrator, const std::string& store, Terminal& terminal) {
  if (!narrator.has_builds()) return;
  const auto bound = build::cache_bound();
  if (!bound) return terminal.warn(bound.error().to_text());
  const std::string folder = std::filesystem::path(store).parent_path().string();
  const auto removed = build::remove_builds(
      folder, {.bytes = *bound, .unfinished = true, .mirrors_since_ms = now_ms() - kMirrorsStayMs});
  for (const std::string& problem : removed.problems) terminal.warn(problem);
  if (removed.builds + removed.mirrors > 0)
    terminal.note(fmt::format(
        "removed {} builds and {} mirrors, {}, to keep the cache below {} ({})", removed.builds,
        removed.mirrors, format_bytes(static_cast<double>(removed.bytes)),
        format_bytes(static_cast<double>(*bound)), build::kCacheVariable));
}

Result<int> finish(const Result<Record>& record, const Narrator& narrator, bool interrupted,
                   const Arguments& arguments, const std::string& store, Terminal& terminal) {
  terminal.clear_progress();
  bound_cache(narrator, store, terminal);
  if (!record) return report_error(record.error(), narrator, store, interrupted, terminal);
  const Conclusion& conclusion = *record->conclusion;
  if (auto written = write_reports(*record, report_files(arguments, store), terminal); !written)
    return terminal.error(written.error(), kNotMeasured);
  const bool strict = find_flag(arguments.spec(), "strict") != nullptr && arguments.has("strict");
  return exit_code(conclusion, strict);
}

lab::SessionOptions session_options(const Arguments& arguments, std::string store,
                                    std::string purpose) {
  return {.store_path = std::move(store),
          .purpose = std::move(purpose),
          .wait_for_machine = !arguments.has("no-wait")};
}

// "compare 'a' 'b'", in messages.
std::string purpose_of(const Plan& plan) {
  std::string purpose(to_word(plan.kind));
  if (plan.design)
    return purpose + " '" + shorten(join_command(plan.arms.front().argv), kLabelWidth) + "'";
  for (const Subject& subject : plan.arms)
    purpose += " '" + shorten(subject.label, kLabelWidth) + "'";
  return purpose;
}

}  // namespace

Result<int> run_and_report(Plan plan, const Arguments& arguments, Terminal& terminal) {
  auto store = store_path(arguments);
  if (!store) return fail(store.error());
  if (auto writable = check_report_files(report_files(arguments, *store)); !writable)
    return fail(writable.error());
  const std::string purpose = purpose_of(plan);
  const std::atomic<bool>& interrupted = watch_interrupts();
  Narrator narrator(terminal);
  const lab::SessionEvents events = narrator.events();
  const auto options = session_options(arguments, *store, purpose);
  return finish(lab::run_plan(std::move(plan), options, events, interrupted), narrator, interrupted,
                arguments, *store, terminal);
}

Result<int> resume_and_report(const std::string& id, const Arguments& arguments,
                              Terminal& terminal) {
  auto store = store_path(arguments);
  if (!store) return fail(store.error());
  if (auto writable = check_report_files(report_files(arguments, *store)); !writable)
    return fail(writable.error());
  const std::atomic<bool>& interrupted = watch_interrupts();
  Narrator narrator(terminal);
  lab::SessionEvents events = narrator.events();
  events.on_start = [&, started = events.on_start](const Record& record) {
    terminal.note(fmt::format("going on with record {}: {}", record.id, purpose_of(record.plan)));
    started(record);
  };
  const auto options = session_options(arguments, *store, "resume " + id);
  return finish(lab::resume_record(id, options, events, interrupted), narrator, interrupted,
                arguments, *store, terminal);
}

}  // namespace assay::cli
