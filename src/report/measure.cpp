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

// Columns aligned, closer together when they would not fit otherwise; the note in the last column
// goes to a line of its own where it does not fit.
std::string table(const std::vector<Line>& lines, std::size_t width) {
  std::vector<std::size_t> widths(lines.front().size());
  for (const Line& line : lines)
    for (std::size_t i = 0; i < line.size(); ++i)
      widths[i] = std::max(widths[i], display_width(line[i]));
  std::size_t columns = 0;
  for (std::size_t i = 0; i + 1 < widths.size(); ++i) columns += widths[i];
  const std::size_t gap = columns + 2 * (widths.size() - 2) <= width ? 2 : 1;
  std::string out;
  for (const Line& line : lines) {
    std::string text;
    for (std::size_t i = 0; i + 1 < line.size(); ++i) text += pad(line[i], widths[i] + gap);
    const bool note_fits = display_width(text) + display_width(line.back()) <= width;
    if (note_fits) text += line.back();
    while (!text.empty() && text.back() == ' ') text.pop_back();
    out += wrap(text, width, 4);
    if (!note_fits) out += wrap("    " + line.back(), width, 4);
  }
  return out;
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
  if (view.runs > 0 && !view.metrics.empty()) text.out += table(lines, width);
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
  json.set("failure", view.failure ? Json(view.failure->text) : Json());
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
