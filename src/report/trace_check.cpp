// SPDX-License-Identifier: Apache-2.0
#include "report/trace_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "report/compare.hpp"
#include "report/explain_text.hpp"
#include "report/numbers.hpp"
#include "report/plain.hpp"
#include "report/table.hpp"

namespace assay::report {
namespace {

using trace::Trace;

std::string number(std::uint64_t n) { return grouped(static_cast<double>(n)); }

// Spans of each kind, by stage.
std::vector<std::array<std::uint64_t, trace::kSpanKinds>> span_counts(const Trace& run) {
  std::vector<std::array<std::uint64_t, trace::kSpanKinds>> counts(run.stages.size());
  for (std::size_t i = 0; i < run.spans.size(); ++i)
    if (run.spans.stage[i] < counts.size())
      ++counts[run.spans.stage[i]][static_cast<std::size_t>(run.spans.kind[i])];
  return counts;
}

std::string head_line(const Trace& run) {
  std::string text = fmt::format("{}: {}, {}", plain(run.source), plain(run.format),
                                 format_bytes(static_cast<double>(run.bytes_read)));
  if (run.lines_read > 0)
    text += fmt::format(
        ", {} lines, {} matched ({})", number(run.lines_read), number(run.lines_matched),
        share_text(static_cast<double>(run.lines_matched) / static_cast<double>(run.lines_read)));
  return text +
         fmt::format("; {} spans, {} items", number(run.spans.size()), number(run.items.size()));
}

std::string span_table(const Trace& run, const TextOptions& options) {
  const auto counts = span_counts(run);
  std::vector<Column> columns = {{.head = "spans", .left = true}};
  for (std::size_t k = 0; k < trace::kSpanKinds; ++k)
    columns.push_back({.head = std::string(explain::short_word(static_cast<trace::SpanKind>(k)))});
  columns.push_back({.head = "workers"});
  std::vector<std::uint64_t> workers(run.stages.size());
  for (const trace::Worker& worker : run.workers)
    if (worker.stage < workers.size()) ++workers[worker.stage];
  std::vector<TableRow> rows;
  for (std::size_t s = 0; s < run.stages.size(); ++s) {
    TableRow row{.cells = {plain(run.stages[s].name)}};
    for (const std::uint64_t n : counts[s]) row.cells.emplace_back(n == 0 ? "-" : number(n));
    row.cells.emplace_back(workers[s] == 0 ? "-" : number(workers[s]));
    rows.push_back(std::move(row));
  }
  return explain::section("", draw_table(columns, rows, options));
}

std::string loss_table(const Trace& run, const TextOptions& options) {
  std::vector<TableRow> rows;
  for (std::size_t k = 0; k < trace::kLosses; ++k) {
    const auto kind = static_cast<trace::Loss>(k);
    if (run.lost(kind) > 0)
      rows.push_back({.cells = {std::string(trace::to_text(kind)), number(run.lost(kind))}});
  }
  if (rows.empty()) return "\nNothing was lost.\n";
  return explain::section(
      "", draw_table({{.head = "lost or mended", .left = true}, {.head = "n"}}, rows, options));
}

std::string rule_table(const RuleMatches& matches, const TextOptions& options) {
  std::vector<TableRow> rows;
  for (std::size_t i = 0; i < matches.rules->events.size(); ++i) {
    const trace::EventRule& rule = matches.rules->events[i];
    const std::uint64_t lines = i < matches.lines.size() ? matches.lines[i] : 0;
    rows.push_back({.cells = {fmt::format("{}", rule.line),
                              {number(lines), lines == 0 ? Tone::open : Tone::neutral}},
                    .note = plain(rule.pattern.text())});
  }
  return explain::section(
      "", draw_table({{.head = "rule at line"}, {.head = "lines matched"}}, rows, options));
}

}  // namespace

std::string check_text(const Trace& run, const std::optional<RuleMatches>& matches,
                       const TextOptions& options) {
  std::string text = wrap(head_line(run), columns(options), 2) + span_table(run, options);
  if (matches) text += rule_table(*matches, options);
  std::string settings;
  for (const trace::Setting& setting : run.settings)
    settings += fmt::format("{}{} = {}", settings.empty() ? "settings: " : ", ",
                            plain(setting.name), plain(setting.value));
  if (!settings.empty()) text += "\n" + wrap(settings, columns(options), 2);
  return text + loss_table(run, options);
}

Json check_json(const Trace& run, const std::optional<RuleMatches>& matches) {
  Json spans = Json::array();
  const auto counts = span_counts(run);
  for (std::size_t s = 0; s < counts.size(); ++s)
    for (std::size_t k = 0; k < trace::kSpanKinds; ++k)
      if (counts[s][k] > 0)
        spans.push(Json::object()
                       .set("stage", run.stages[s].name)
                       .set("kind", trace::to_word(static_cast<trace::SpanKind>(k)))
                       .set("n", counts[s][k]));
  Json settings = Json::array(), losses = Json::object(), rules = Json::array(),
       warnings = Json::array();
  for (const trace::Setting& setting : run.settings)
    settings.push(Json::object().set("name", setting.name).set("value", setting.value));
  for (std::size_t k = 0; k < trace::kLosses; ++k)
    losses.set(trace::to_text(static_cast<trace::Loss>(k)), std::uint64_t{run.losses[k]});
  if (matches)
    for (std::size_t i = 0; i < matches->rules->events.size(); ++i)
      rules.push(Json::object()
                     .set("line", matches->rules->events[i].line)
                     .set("pattern", matches->rules->events[i].pattern.text())
                     .set("lines", i < matches->lines.size() ? matches->lines[i] : 0));
  for (const trace::TraceWarning& warning : run.warnings)
    warnings.push(
        Json::object().set("kind", trace::to_word(warning.kind)).set("text", warning.text));
  Json json = Json::object();
  json.set("schema_version", kSchemaVersion).set("kind", "trace-check");
  json.set("source", run.source).set("format", run.format).set("bytes", run.bytes_read);
  json.set("lines", run.lines_read).set("matched", run.lines_matched);
  json.set("spans", std::move(spans)).set("items", std::uint64_t{run.items.size()});
  json.set("settings", std::move(settings)).set("losses", std::move(losses));
  json.set("rules", std::move(rules)).set("warnings", std::move(warnings));
  return json;
}

std::string formats_text(const TextOptions& options) {
  std::size_t widest = 0;
  for (const trace::Importer* importer : trace::importers())
    widest = std::max(widest, importer->name().size());
  std::string text;
  for (const trace::Importer* importer : trace::importers())
    text += wrap(fmt::format("{:<{}}{}", importer->name(), widest + 2, importer->caveat()),
                 columns(options), widest + 2);
  return text;
}

Json formats_json() {
  Json formats = Json::array();
  for (const trace::Importer* importer : trace::importers())
    formats.push(Json::object().set("name", importer->name()).set("caveat", importer->caveat()));
  return Json::object()
      .set("schema_version", kSchemaVersion)
      .set("kind", "trace-formats")
      .set("formats", std::move(formats));
}

}  // namespace assay::report
