// SPDX-License-Identifier: Apache-2.0
#include "report/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "model/words.hpp"
#include "report/compare.hpp"
#include "report/plain.hpp"
#include "report/sentence.hpp"
#include "report/wording.hpp"

namespace assay::report {
namespace {

Distribution distribution_of(const Record& record, std::uint32_t m) {
  Distribution d;
  d.metric = record.plan.metrics[m];
  d.title = title_of(d.metric);
  const std::vector<double> values = values_of(record, 0, m);
  d.n = values.size();
  if (values.empty()) return d;
  d.values = stats::summarize(values, stats::Confidence(0.95));
  if (d.n >= 10) d.p90 = d.values->p90;
  if (d.n >= 100) d.p99 = d.values->p99;
  const std::array<std::vector<double>, 1> samples = {values};
  const std::array<std::string, 1> labels = {""};
  d.histogram = make_histogram(d.title, d.metric.unit, samples, labels);
  return d;
}

using Line = std::vector<std::string>;

Line cells_of(const Distribution& d, std::size_t runs) {
  const auto value = [&](const std::optional<double>& v) {
    return v ? fit(plain(format_value(*v, d.metric.unit)), 20) : std::string("-");
  };
  std::string note = d.n == runs ? "" : fmt::format("{} of {} runs", d.n, runs);
  if (const std::string method = method_of(d.metric); !method.empty())
    note += (note.empty() ? "" : ", ") + method;
  Line line = {d.title, "-", "-", "-", value(d.p90), value(d.p99), "-", note};
  if (!d.values) return line;
  line[1] = value(d.values->median);
  if (const auto& interval = d.values->median_interval)
    line[2] = fmt::format("[{}, {}]", value(interval->lo), value(interval->hi));
  line[3] = value(d.values->mean);
  line[6] = value(d.values->max);
  return line;
}

constexpr std::size_t kP90 = 4, kP99 = 5;  // columns of a Line
constexpr std::size_t kIndent = 4;

// The columns to show: quantiles that no metric has are no news.
std::vector<std::size_t> columns_of(const std::vector<Line>& lines) {
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i + 1 < lines.front().size(); ++i) {
    const bool is_empty = std::all_of(lines.begin() + 1, lines.end(),
                                      [&](const Line& line) { return line[i] == "-"; });
    if ((i != kP90 && i != kP99) || !is_empty) shown.push_back(i);
  }
  return shown;
}

// Cells behind one another in indented lines, broken between cells only.
std::string flow(const std::vector<std::string>& cells, std::size_t width) {
  std::string out, line;
  for (const std::string& cell : cells) {
    const std::size_t needed = kIndent + display_width(line) + 2 + display_width(cell);
    if (!line.empty() && width != 0 && needed > width) {
      out += wrap(std::string(kIndent, ' ') + line, width, kIndent);
      line.clear();
    }
    line += (line.empty() ? "" : "  ") + cell;
  }
  return line.empty() ? out : out + wrap(std::string(kIndent, ' ') + line, width, kIndent);
}

// Columns aligned, closer together when they would not fit otherwise. Those that still do not fit
// go, with their names, to a second line of every metric, as does a note that is too long.
std::string table(const std::vector<Line>& lines, std::size_t width) {
  const std::vector<std::size_t> shown = columns_of(lines);
  std::vector<std::size_t> widths(lines.front().size());
  for (const Line& line : lines)
    for (const std::size_t i : shown) widths[i] = std::max(widths[i], display_width(line[i]));
  const auto columns_that_fit = [&](std::size_t gap) {
    std::size_t count = 0, used = 0;
    for (; count < shown.size(); ++count) {
      used += widths[shown[count]] + (count > 0 ? gap : 0);
      if (width != 0 && used > width && count > 0) break;
    }
    return count;
  };
  const bool close = columns_that_fit(2) < shown.size() && columns_that_fit(1) == shown.size();
  const std::size_t gap = close ? 1 : 2;
  const std::size_t count = columns_that_fit(gap);
  std::string out;
  for (const Line& line : lines) {
    std::string text;
    std::vector<std::string> rest;
    for (std::size_t i = 0; i < shown.size(); ++i) {
      const std::string& cell = line[shown[i]];
      if (i < count)
        text += pad(cell, widths[shown[i]] + gap);
      else if (&line != &lines.front() && cell != "-")
        rest.push_back(lines.front()[shown[i]] + " " + cell);
    }
    const bool note_fits =
        rest.empty() && (width == 0 || display_width(text) + display_width(line.back()) <= width);
    if (note_fits)
      text += line.back();
    else if (!line.back().empty())
      rest.push_back(line.back());
    while (!text.empty() && text.back() == ' ') text.pop_back();
    out += fit(text, width) + "\n" + flow(rest, width);
  }
  return out;
}

// What was asked for and no run gave; empty when there is something to show.
std::string invalid_text(const MeasureView& view) {
  if (view.failure || view.runs == 0) return {};
  const auto is_missing = [](const Distribution& d) { return d.n == 0; };
  if (std::all_of(view.metrics.begin(), view.metrics.end(), is_missing))
    return "no run gave a value of any metric, so nothing can be said.";
  for (const Distribution& d : view.metrics)
    if (view.plan.run.exact && d.metric.name == "instructions" && is_missing(d))
      return fmt::format("no run gave {}, so nothing exact can be said.", noun_of(d.metric));
  return {};
}

std::string share(double part) { return fmt::format("{:.0f} %", part * 100); }

std::string contention_text(const MeasureView& view) {
  std::vector<std::string> parts;
  if (view.waiting.idle && *view.waiting.idle > 0)
    parts.push_back(fmt::format("waiting {} of the wall time", share(*view.waiting.idle)));
  if (view.waiting.pressure)
    parts.push_back(fmt::format("CPU pressure {}", share(*view.waiting.pressure)));
  if (view.waiting.delay)
    parts.push_back(fmt::format("run-queue delay {}", share(*view.waiting.delay)));
  if (view.waiting.disk) parts.push_back(fmt::format("I/O pressure {}", share(*view.waiting.disk)));
  if (view.runs > 0)
    parts.push_back(fmt::format("context switches a run {} voluntary, {} involuntary",
                                format_count(view.voluntary_switches),
                                format_count(view.involuntary_switches)));
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "contention: " : "; ") + part;
  return text;
}

}  // namespace

MeasureView view_measure(const Record& record, const Conclusion& conclusion) {
  MeasureView view;
  view.id = plain(record.id);
  view.plan = record.plan;
  view.host = record.host;
  view.failure = failure_of(record, conclusion);
  view.warnings = printable_warnings(conclusion);
  view.remark = ending_remark(record, conclusion);
  if (record.plan.arms.empty()) return view;
  view.side = sides_of(record.plan).front();
  double voluntary = 0, involuntary = 0;
  for (const Trial* trial : trials_of(record)) {
    if (trial->warmup || trial->arm != 0) continue;
    ++view.runs;
    voluntary += static_cast<double>(trial->contention.voluntary_switches);
    involuntary += static_cast<double>(trial->contention.involuntary_switches);
  }
  if (view.runs > 0) {
    view.voluntary_switches = voluntary / static_cast<double>(view.runs);
    view.involuntary_switches = involuntary / static_cast<double>(view.runs);
  }
  for (std::uint32_t m = 0; m < record.plan.metrics.size(); ++m)
    view.metrics.push_back(distribution_of(record, m));
  view.invalid = invalid_text(view);
  const std::array<std::uint32_t, 1> arms = {0};
  view.waiting = waiting_of(record, arms);
  return view;
}

Text measure_text(const MeasureView& view, const TextOptions& options) {
  const std::size_t width = columns(options);
  Text text;
  text.warnings = warning_lines(view.warnings, options);
  if (view.failure) {
    text.out = failure_text(*view.failure, options);
    return text;
  }
  text.out =
      wrap(fmt::format("{}: {} {}", view.side.label, view.runs, view.runs == 1 ? "run" : "runs"),
           width, 4);
  std::vector<Line> lines = {{"", "median", "95 % interval", "mean", "p90", "p99", "max", ""}};
  for (const Distribution& d :
       view.metrics)  // what a short run cannot have (sampled memory) is no news
    if (d.n > 0 || d.metric.name != "tree_mem") lines.push_back(cells_of(d, view.runs));
  if (view.runs > 0 && lines.size() > 1) text.out += table(lines, width);
  if (!view.invalid.empty()) {
    const std::string word(to_word(Verdict::invalid));
    text.out += paint(word, tone_of(Verdict::invalid), options.colour) +
                wrap(word + ": " + view.invalid, width).substr(word.size());
  }
  const auto shaped = std::find_if(view.metrics.begin(), view.metrics.end(),
                                   [](const Distribution& d) { return d.histogram.has_value(); });
  if (options.histograms && shaped != view.metrics.end())
    text.out += draw(*shaped->histogram, options.unicode, width);
  if (const std::string contention = contention_text(view); !contention.empty())
    text.out += wrap(contention, width, 4);
  if (!view.remark.empty()) text.out += wrap(view.remark, width);
  return text;
}

Json measure_json(const MeasureView& view) {
  Json json = document_head("measure", view.id, view.plan, view.host, view.warnings);
  json.set("runs", std::uint64_t{view.runs});
  json.set("failure", view.failure            ? Json(view.failure->text)
                      : !view.invalid.empty() ? Json(view.invalid)
                                              : Json());
  Json metrics = Json::array();
  for (const Distribution& d : view.metrics) {
    Json m = Json::object();
    m.set("name", d.metric.name);
    m.set("unit", d.metric.unit);
    m.set("better", to_word(d.metric.better));
    m.set("method", d.metric.method);
    m.set("n", std::uint64_t{d.n});
    const auto set = [&](const char* name, auto member) {
      m.set(name, d.values ? Json((*d.values).*member) : Json());
    };
    const auto interval = d.values ? d.values->median_interval : std::nullopt;
    set("median", &stats::Summary::median);
    m.set("lo95", interval ? Json(interval->lo) : Json());
    m.set("hi95", interval ? Json(interval->hi) : Json());
    m.set("achieved", interval ? Json(interval->achieved) : Json());
    set("mean", &stats::Summary::mean);
    set("sd", &stats::Summary::deviation);
    set("min", &stats::Summary::min);
    m.set("p90", d.p90);
    m.set("p99", d.p99);
    set("max", &stats::Summary::max);
    metrics.push(std::move(m));
  }
  json.set("metrics", std::move(metrics));
  Json contention = Json::object();
  contention.set("idle", view.waiting.idle);
  contention.set("pressure", view.waiting.pressure);
  contention.set("delay", view.waiting.delay);
  contention.set("disk", view.waiting.disk);
  contention.set("busy", view.waiting.busy);
  contention.set("voluntary_switches", view.voluntary_switches);
  contention.set("involuntary_switches", view.involuntary_switches);
  json.set("contention", std::move(contention));
  return json;
}

Text measure_text(const Record& record, const Conclusion& conclusion, const TextOptions& options) {
  return measure_text(view_measure(record, conclusion), options);
}

Json measure_json(const Record& record, const Conclusion& conclusion) {
  return measure_json(view_measure(record, conclusion));
}

}  // namespace assay::report
