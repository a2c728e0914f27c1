// SPDX-License-Identifier: Apache-2.0
// One run: the answer, the stages, and the sections that two sides share with it.
#include "report/explain_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "report/explain_sentence.hpp"
#include "report/numbers.hpp"
#include "report/plain.hpp"
#include "report/table.hpp"

namespace assay::report {
namespace {

using attribution::Distribution;
using attribution::RunDescription;
using attribution::SpanRow;
using attribution::StageRow;

constexpr std::size_t kFewWarnings = 12;

std::string count(std::uint64_t n, std::string_view noun) {
  return fmt::format("{} {}{}", grouped(static_cast<double>(n)), noun, n == 1 ? "" : "s");
}

// "1 ms", "10 us".
std::string step_text(trace::Nanos step) {
  const double seconds = static_cast<double>(step) / 1e9;
  const SecondsScale scale = scale_for(seconds);
  return fmt::format("{:g} {}", seconds / scale.unit, scale.name);
}

// "before.log: timeline, 400 items of 40 jobs, 1,200 spans, 2,801 s; times in steps of 1 ms"
std::string head_line(const RunDescription& run) {
  std::string text = plain(run.source) + ": ";
  if (!run.format.empty()) text += plain(run.format) + ", ";
  if (run.items > 0) text += count(run.items, "item");
  if (run.items > 0 && run.jobs > 1) text += fmt::format(" of {}", count(run.jobs, "job"));
  if (run.items > 0) text += ", ";
  text += fmt::format("{}, {}", count(run.spans, "span"), seconds_text(run.makespan_s));
  if (run.clock.resolution_ns > 1)
    text += fmt::format("; times in steps of {}", step_text(run.clock.resolution_ns));
  return text;
}

// "synth (5 workers, 5 permits) -> room for 3 -> gpu (1 worker)"
std::string topology_line(const RunDescription& run) {
  std::string text;
  for (const StageRow& stage : run.stages) {
    if (!stage.parent.empty()) continue;
    if (!text.empty())
      text += stage.capacity ? fmt::format(" -> room for {} -> ", *stage.capacity) : " -> ";
    text += plain(stage.name);
    std::string inside;
    if (stage.servers)
      inside += fmt::format("{} worker{}", *stage.servers, *stage.servers == 1 ? "" : "s");
    if (stage.servers && !stage.servers_from.empty() && stage.servers_from != "declared")
      inside += ", " + plain(stage.servers_from);
    if (stage.permits)
      inside += fmt::format("{}{} permit{}", inside.empty() ? "" : ", ", *stage.permits,
                            *stage.permits == 1 ? "" : "s");
    if (!inside.empty()) text += " (" + inside + ")";
  }
  return text;
}

std::string settings_line(const RunDescription& run) {
  std::string text;
  for (const trace::Setting& setting : run.settings)
    text += fmt::format("{}{} = {}{}", text.empty() ? "settings: " : ", ", plain(setting.name),
                        plain(setting.value), setting.changed ? " (changed)" : "");
  return text;
}

std::vector<TableCell> distribution_cells(const Distribution& d) {
  if (d.n == 0) return {"-", "-", "-", "-", "-", "-"};
  return {grouped(static_cast<double>(d.n)),
          seconds_text(d.mean),
          seconds_text(d.median),
          seconds_text(d.p90),
          seconds_text(d.p99),
          seconds_text(d.max)};
}

TableCell mean_cell(const Distribution& d) {
  return d.n == 0 ? TableCell("-") : TableCell(seconds_text(d.mean));
}

std::string stage_table(const RunDescription& run, const ExplainOptions& options) {
  const std::vector<Column> columns = {{.head = "stage", .left = true},
                                       {.head = "n"},
                                       {.head = "mean"},
                                       {.head = "median"},
                                       {.head = "p90"},
                                       {.head = "p99"},
                                       {.head = "max"},
                                       {.head = "busy"},
                                       {.head = "in flight"},
                                       {.head = "queued"},
                                       {.head = "lock"},
                                       {.head = "blocked"}};
  std::vector<TableRow> rows;
  for (std::size_t i = 0; i < explain::rows_shown(run.stages.size(), options); ++i) {
    const StageRow& stage = run.stages[i];
    const bool binds = run.bottleneck && run.bottleneck->stage == stage.name;
    TableRow row;
    row.cells = {{(stage.parent.empty() ? "" : "  ") + plain(stage.name),
                  binds ? Tone::strong : Tone::neutral}};
    for (TableCell& cell : distribution_cells(stage.service)) row.cells.push_back(std::move(cell));
    row.cells.emplace_back(stage.utilisation ? share_text(*stage.utilisation) : "-");
    row.cells.emplace_back(stage.in_flight_max > 0
                               ? fmt::format("{:.3g}, most {}", stage.in_flight_mean,
                                             grouped(static_cast<double>(stage.in_flight_max)))
                               : "-");
    row.cells.push_back(mean_cell(stage.queue_wait));
    row.cells.push_back(mean_cell(stage.lock_wait));
    TableCell blocked = mean_cell(stage.blocked_send);
    if (stage.blocked_derived && stage.blocked_send.n > 0) blocked.text = "~" + blocked.text;
    row.cells.push_back(std::move(blocked));
    rows.push_back(std::move(row));
  }
  return draw_table(columns, rows, options.text) + explain::left_out(run.stages.size(), options);
}

// What the stage table cannot say in a column.
std::string stage_notes(const RunDescription& run, const ExplainOptions& options) {
  if (run.stages.empty()) return {};
  std::string text = explain::prose(
      "n to max: service of an item; queued, lock, blocked: its mean wait there", options);
  for (std::size_t i = 0; i < explain::rows_shown(run.stages.size(), options); ++i) {
    const StageRow& stage = run.stages[i];
    if (!stage.service.skew.empty())
      text += explain::prose(fmt::format("{}: {}", plain(stage.name), plain(stage.service.skew)),
                             options);
  }
  const bool derived = std::ranges::any_of(
      run.stages, [](const StageRow& s) { return s.blocked_derived && s.blocked_send.n > 0; });
  if (derived) text += explain::prose("~ is not in the log: derived from other events", options);
  return text;
}

std::string span_table(const RunDescription& run, const ExplainOptions& options) {
  const std::vector<Column> columns = {{.head = "span", .left = true},
                                       {.head = "self"},
                                       {.head = "total"},
                                       {.head = "n"},
                                       {.head = "mean"},
                                       {.head = "median"},
                                       {.head = "p90"},
                                       {.head = "p99"},
                                       {.head = "max"}};
  std::vector<TableRow> rows;
  for (std::size_t i = 0; i < explain::rows_shown(run.spans_by_name.size(), options); ++i) {
    const SpanRow& span = run.spans_by_name[i];
    TableRow row;
    row.cells = {plain(span.name), seconds_text(span.self_s), seconds_text(span.total_s)};
    std::vector<TableCell> rest = distribution_cells(span.duration);
    rest.front() = TableCell(grouped(static_cast<double>(span.count)));
    for (TableCell& cell : rest) row.cells.push_back(std::move(cell));
    rows.push_back(std::move(row));
  }
  return draw_table(columns, rows, options.text) +
         explain::left_out(run.spans_by_name.size(), options);
}

std::string latency_line(const RunDescription& run) {
  const Distribution& d = run.latency;
  if (d.n < 2) return {};
  return fmt::format(
      "an item takes {} from begin to end in the mean (median {}, p90 {}, p99 {}, "
      "max {})",
      seconds_text(d.mean), seconds_text(d.median), seconds_text(d.p90), seconds_text(d.p99),
      seconds_text(d.max));
}

}  // namespace

namespace explain {

std::size_t rows_shown(std::size_t size, const ExplainOptions& options) {
  return options.all ? size : std::min(size, options.top);
}

std::string left_out(std::size_t size, const ExplainOptions& options) {
  const std::size_t shown = rows_shown(size, options);
  return shown == size ? std::string() : fmt::format("and {} more (--all)\n", size - shown);
}

std::string section(std::string_view title, const std::string& body) {
  if (body.empty()) return {};
  return title.empty() ? "\n" + body : fmt::format("\n{}\n{}", title, body);
}

std::string prose(std::string_view text, const ExplainOptions& options) {
  return text.empty() ? std::string() : wrap(text, columns(options.text), 2);
}

std::string warning_lines(const std::vector<trace::TraceWarning>& warnings,
                          const ExplainOptions& options) {
  std::string text;
  const std::size_t shown = options.all ? warnings.size() : std::min(warnings.size(), kFewWarnings);
  for (std::size_t i = 0; i < shown; ++i)
    text += wrap("warning: " + plain(warnings[i].text), columns(options.text), 2);
  if (shown < warnings.size())
    text += fmt::format("warning: {} more warnings (--all)\n", warnings.size() - shown);
  return text;
}

}  // namespace explain

std::vector<trace::TraceWarning> warnings_of(const RunDescription& run) { return run.warnings; }

Text explain_text(const RunDescription& run, const ExplainOptions& options) {
  Text text;
  text.warnings = explain::warning_lines(run.warnings, options);
  text.out = explain::prose(head_line(run), options) + explain::prose(sentence_of(run), options);
  if (run.spans == 0) return text;
  if (!run.trusted)
    text.out += explain::prose(
        "The log does not hold together (see the warnings): read the numbers with care.", options);
  if (run.is_pipeline) text.out += explain::prose(topology_line(run), options);
  text.out += explain::prose(settings_line(run), options);
  if (run.is_pipeline || run.spans_by_name.empty()) {  // else every stage is a row of the spans
    text.out += explain::section("", stage_table(run, options));
    text.out += stage_notes(run, options);
  }
  text.out += explain::prose(latency_line(run), options);
  text.out += explain::section("", span_table(run, options));
  if (!run.is_pipeline && !run.not_pipeline_because.empty())
    text.out += explain::prose(
        fmt::format("not read as a pipeline: {}", plain(run.not_pipeline_because)), options);
  text.out += explain::evidence(run, options);
  return text;
}

}  // namespace assay::report
