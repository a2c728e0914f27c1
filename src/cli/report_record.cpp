// SPDX-License-Identifier: Apache-2.0
#include "cli/report_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string_view>

#include "base/check.hpp"
#include "cli/record_events.hpp"
#include "history/accepted.hpp"
#include "report/ablate.hpp"
#include "report/accepted.hpp"
#include "report/bisect.hpp"
#include "report/calibrate.hpp"
#include "report/compare.hpp"
#include "report/imported.hpp"
#include "report/measure.hpp"
#include "report/plain.hpp"
#include "report/suite_audit.hpp"
#include "report/suite_compare.hpp"
#include "report/suite_run.hpp"
#include "report/sweep.hpp"
#include "report/timeline.hpp"
#include "report/view.hpp"

namespace assay::cli {
namespace {

// Whether the user's locale shows UTF-8; unset means that nobody said otherwise.
bool speaks_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    const std::string_view locale(value);
    return locale.find("UTF-8") != std::string_view::npos ||
           locale.find("utf8") != std::string_view::npos;
  }
  return true;
}

Result<void> write_file(const std::string& path, const std::string& text, Terminal& terminal) {
  if (path == "-") {
    terminal.print(text);
    return {};
  }
  std::ofstream file(path, std::ios::trunc);
  file << text;
  file.close();
  if (!file) return fail(system_error("cannot write the report", errno, path));
  return {};
}

// The files were read when they were imported; a reader that refuses them now says why.
report::Text imported_record_text(const Record& record, const report::TextOptions& options) {
  const auto sources = report::sources_of(record.plan);
  if (!sources) return {.out = sources.error().to_text() + "\n", .warnings = {}};
  return report::imported_text(*sources, options);
}

Json imported_record_json(const Record& record) {
  const auto sources = report::sources_of(record.plan);
  Json json = report::imported_json(sources ? *sources : std::vector<report::ImportedSource>());
  if (!sources) json.set("error", sources.error().to_text());
  return json.set("id", record.id);
}

}  // namespace

report::TextOptions text_options(const Terminal& terminal) {
  return {.colour = terminal.colour(), .unicode = speaks_utf8(), .width = terminal.width()};
}

report::Text report_text(const Record& record, const report::TextOptions& options) {
  ASSAY_CHECK(record.conclusion.has_value(), "only a concluded record has a report");
  switch (record.plan.kind) {
    case PlanKind::measure:
      return report::measure_text(record, *record.conclusion, options);
    case PlanKind::calibrate:
      return report::calibrate_text(record, *record.conclusion, options);
    case PlanKind::sweep:
      return report::sweep_text(record, *record.conclusion, options);
    case PlanKind::ablate:
      return report::ablate_text(record, *record.conclusion, options);
    case PlanKind::bisect:
      return report::bisect_text(record, *record.conclusion, options);
    case PlanKind::timeline:
      return report::timeline_text(record, *record.conclusion, options);
    case PlanKind::imported:
      return imported_record_text(record, options);
    case PlanKind::suite_run:
      return report::suite_run_text(record, *record.conclusion, options);
    case PlanKind::suite_compare:
      return report::suite_compare_text(record, *record.conclusion, options);
    case PlanKind::suite_audit:
      return report::suite_audit_text(record, *record.conclusion, options);
    case PlanKind::compare:
    case PlanKind::sessions:
      break;
  }
  return report::compare_text(record, *record.conclusion, options);
}

Json report_json(const Record& record) {
  ASSAY_CHECK(record.conclusion.has_value(), "only a concluded record has a report");
  switch (record.plan.kind) {
    case PlanKind::measure:
      return report::measure_json(record, *record.conclusion);
    case PlanKind::calibrate:
      return report::calibrate_json(record, *record.conclusion);
    case PlanKind::sweep:
      return report::sweep_json(record, *record.conclusion);
    case PlanKind::ablate:
      return report::ablate_json(record, *record.conclusion);
    case PlanKind::bisect:
      return report::bisect_json(record, *record.conclusion);
    case PlanKind::timeline:
      return report::timeline_json(record, *record.conclusion);
    case PlanKind::imported:
      return imported_record_json(record);
    case PlanKind::suite_run:
      return report::suite_run_json(record, *record.conclusion);
    case PlanKind::suite_compare:
      return report::suite_compare_json(record, *record.conclusion);
    case PlanKind::suite_audit:
      return report::suite_audit_json(record, *record.conclusion);
    case PlanKind::compare:
    case PlanKind::sessions:
      break;
  }
  return report::compare_json(record, *record.conclusion);
}

// As a block of code; nothing of nothing.
static std::string fenced(const std::string& text) {
  if (text.empty()) return {};
  std::string fence = "```";  // longer than any run of backticks in the text
  while (text.find(fence) != std::string::npos) fence += '`';
  return fence + "text\n" + text + fence + "\n";
}

std::string report_markdown(const Record& record) {
  if (record.plan.kind == PlanKind::compare || record.plan.kind == PlanKind::sessions)
    return report::compare_markdown(record, *record.conclusion);
  if (record.plan.kind == PlanKind::suite_compare)
    return report::suite_compare_markdown(record, *record.conclusion);
  const report::TextOptions plain{.colour = false, .unicode = true, .width = 100};
  return fenced(report_text(record, plain).out);
}

// What was accepted before of the benchmark that the record asks about. A file that cannot be read
// is a doubt, not the end of a report.
static std::vector<Accepted> accepted_before(const Record& record, const std::string& store,
                                             std::vector<std::string>& doubts) {
  const PlanKind kind = record.plan.kind;
  if (store.empty() ||
      (kind != PlanKind::compare && kind != PlanKind::sessions && kind != PlanKind::timeline))
    return {};
  const auto all = history::read_accepted(store);
  if (!all) doubts.push_back("accepted regressions are not shown: " + all.error().to_text());
  return all ? history::accepted_of(*all, history::benchmark_key(record.plan))
             : std::vector<Accepted>();
}

// The page of an experiment over many arms.
static std::string design_html(const Record& record, const std::vector<std::string>& notes) {
  switch (record.plan.kind) {
    case PlanKind::sweep:
      return report::sweep_html(record, *record.conclusion);
    case PlanKind::ablate:
      return report::ablate_html(record, *record.conclusion);
    case PlanKind::bisect:
      return report::bisect_html(record, *record.conclusion);
    default:
      return report::timeline_html(record, *record.conclusion, notes);
  }
}

Result<void> check_report_files(const ReportFiles& files) {
  const auto to_stdout = {files.json == "-", files.markdown == "-", files.html == "-"};
  if (std::count(to_stdout.begin(), to_stdout.end(), true) > 1)
    return fail("two reports on stdout would be mixed", {}, "write one of them to a file");
  for (const auto& path : {files.json, files.markdown, files.html}) {
    if (!path || *path == "-") continue;
    errno = 0;
    if (!std::ofstream(*path, std::ios::app))
      return fail(system_error("cannot write the report", errno, *path));
  }
  return {};
}

void note_dry_run(const Arguments& arguments, Terminal& terminal) {
  for (const std::string_view name : {"json", "markdown", "html"})
    if (find_flag(arguments.spec(), name) != nullptr && arguments.value(name) == "-")
      terminal.note(fmt::format("--dry-run prints text: --{} is of what was run", name));
}

Result<void> write_reports(const Record& record, const ReportFiles& files, Terminal& terminal) {
  const report::TextOptions options = text_options(terminal);
  std::vector<std::string> doubts;
  const std::vector<ExplainedPair> pairs =
      explain_record(record, files.store, files.html.has_value(), doubts);
  const std::vector<Accepted> accepted = accepted_before(record, files.store, doubts);
  const std::vector<std::string> notes = report::accepted_sentences(accepted);
  std::string accepted_text = notes.empty() ? "" : "\n";
  for (const std::string& note : notes)
    accepted_text += report::wrap(note, report::columns(options), 4);
  if (files.json != "-" && files.markdown != "-" && files.html != "-")
    terminal.print(report_text(record, options).out + explained_text(record, pairs, options) +
                   accepted_text);
  for (const Warning& warning : report::printable_warnings(*record.conclusion))
    terminal.warn(warning.text);
  for (const std::string& doubt : doubts) terminal.warn(doubt);
  warn_of(pairs, terminal);
  if (files.json) {
    Json json = report_json(record);
    if (!pairs.empty()) json.set("explained", explained_json(pairs));
    if (!accepted.empty()) json.set("accepted", report::accepted_json(accepted));
    if (auto done = write_file(*files.json, json.dump(2) + "\n", terminal); !done) return done;
  }
  if (files.markdown)
    if (auto done =
            write_file(*files.markdown, report_markdown(record) + fenced(accepted_text), terminal);
        !done)
      return done;
  if (!files.html) return {};
  if (record.plan.design) return write_file(*files.html, design_html(record, notes), terminal);
  const auto page = explained_html(record, pairs);
  if (!page) return fail(page.error());
  return write_file(*files.html, *page, terminal);
}

int exit_code(const Conclusion& conclusion, bool strict) {
  if (conclusion.ended_by == EndedBy::interrupted) return kInterrupted;
  if (conclusion.withheld) return kNotMeasured;
  // Not even one block fitted the budget: that is no UNDECIDED that a gate may pass.
  const bool looked = std::any_of(conclusion.findings.begin(), conclusion.findings.end(),
                                  [](const MetricFinding& f) { return f.reading.runs > 0; });
  if (!conclusion.findings.empty() && !looked) return kNotMeasured;
  switch (conclusion.overall) {
    case Verdict::failed:
    case Verdict::invalid:
      return kNotMeasured;
    case Verdict::slower:
      return kRegression;
    case Verdict::undecided:
      return strict ? kUndecided : kFine;
    case Verdict::faster:
    case Verdict::equivalent:
      break;
  }
  return kFine;
}

}  // namespace assay::cli
