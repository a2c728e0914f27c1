// SPDX-License-Identifier: Apache-2.0
#include "trace/exporters/chrome_json.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/json.hpp"

namespace assay::trace {
namespace {

std::string in_quotes(std::string_view text) { return Json(text).dump(); }

// Writes the events of one side after the other.
class Writer {
 public:
  Writer(Output& out, const Trace& trace, Nanos zero, std::size_t pid)
      : out_(out), trace_(trace), zero_(zero), pid_(pid) {
    for (const Stage& stage : trace.stages) names_.push_back(in_quotes(stage.name));
  }

  // "synth worker 0": a bare number says nothing in a viewer.
  std::string name_of(const Worker& worker) const {
    const bool bare =
        !worker.label.empty() && worker.label.find_first_not_of("0123456789") == std::string::npos;
    if (!bare || worker.stage >= trace_.stages.size()) return worker.label;
    return trace_.stages[worker.stage].name + " worker " + worker.label;
  }

  void write(const std::string& process, bool& is_first) {
    is_first_ = is_first;
    metadata("process_name", 0, process);
    for (std::size_t i = 0; i < trace_.workers.size(); ++i) {
      metadata("thread_name", i + 1, name_of(trace_.workers[i]));
    }
    for (std::size_t i = 0; i < trace_.spans.size() && !out_.has_failed(); ++i) span(i);
    for (std::size_t i = 0; i < trace_.instants.size() && !out_.has_failed(); ++i) instant(i);
    for (std::size_t i = 0; i < trace_.counters.size() && !out_.has_failed(); ++i) {
      const double value = trace_.counters.value[i];
      if (!std::isfinite(value)) continue;
      counter("", trace_.strings.at(trace_.counters.name[i]), trace_.counters.at[i]);
      out_.print("\"value\":{}}}}}", value);
    }
    for (const MemorySeries& series : trace_.memory) {
      const std::string name = "memory " + series.scope + ": " + series.method;
      for (std::size_t i = 0; i < series.at.size() && !out_.has_failed(); ++i) {
        counter("\"cat\":\"memory\",", name, series.at[i]);
        out_.print("\"bytes\":{}}}}}", series.bytes[i]);
      }
    }
    for (std::size_t i = 0; i < trace_.links.size() && !out_.has_failed(); ++i) link(i);
    is_first = is_first_;
  }

 private:
  void begin() {
    out_.raw(is_first_ ? "\n" : ",\n");
    is_first_ = false;
  }

  // Nanoseconds as microseconds, exactly; never a double.
  void time(std::string_view key, Nanos from, Nanos to) {
    const bool is_negative = to < from;
    const std::uint64_t ns =
        is_negative ? static_cast<std::uint64_t>(from) - static_cast<std::uint64_t>(to)
                    : static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
    out_.print("\"{}\":{}{}.{:03}", key, is_negative ? "-" : "", ns / 1000, ns % 1000);
  }

  void metadata(std::string_view what, std::size_t tid, std::string_view name) {
    begin();
    out_.print("{{\"ph\":\"M\",\"name\":\"{}\",\"pid\":{},\"tid\":{},\"args\":{{\"name\":{}}}}}",
               what, pid_, tid, in_quotes(name));
  }

  void item(std::uint32_t item_id, std::string_view separator) {
    if (item_id == kNone) return;
    out_.print("{}\"item\":{}", separator, in_quotes(trace_.strings.at(trace_.items.key[item_id])));
  }

  void span_head(std::size_t i, char phase, Nanos at) {
    const Spans& spans = trace_.spans;
    const StageKind stage = trace_.stages[spans.stage[i]].kind;
    constexpr std::string_view kSuffixes[] = {"", ",gpu", ",io", ",queue"};
    begin();
    out_.print("{{\"ph\":\"{}\",\"name\":{},\"cat\":\"{}{}\",\"pid\":{},\"tid\":{},", phase,
               names_[spans.stage[i]], to_word(spans.kind[i]),
               kSuffixes[static_cast<std::size_t>(stage)], pid_,
               spans.worker[i] == kNone ? 0 : std::size_t{spans.worker[i]} + 1);
    time("ts", zero_, at);
  }

  void span(std::size_t i) {
    const Spans& spans = trace_.spans;
    const bool has_worker = spans.worker[i] != kNone;
    span_head(i, has_worker ? 'X' : 'b', spans.begin[i]);
    if (has_worker) {
      out_.raw(",");
      time("dur", spans.begin[i], spans.end[i]);
    } else {
      out_.print(",\"id\":\"{}.{}\"", pid_, i);
    }
    const bool is_exact = spans.quality[i] == Quality::exact;
    if (spans.item[i] != kNone || !is_exact) {
      out_.raw(",\"args\":{");
      item(spans.item[i], "");
      if (!is_exact) {
        out_.print("{}\"quality\":\"{}\"", spans.item[i] != kNone ? "," : "",
                   to_word(spans.quality[i]));
      }
      out_.raw("}");
    }
    out_.raw("}");
    if (has_worker) return;
    span_head(i, 'e', spans.end[i]);
    out_.print(",\"id\":\"{}.{}\"}}", pid_, i);
  }

  void instant(std::size_t i) {
    begin();
    out_.print("{{\"ph\":\"i\",\"s\":\"p\",\"name\":{},\"pid\":{},\"tid\":0,",
               in_quotes(trace_.strings.at(trace_.instants.name[i])), pid_);
    time("ts", zero_, trace_.instants.at[i]);
    out_.raw(",\"args\":{");
    item(trace_.instants.item[i], "");
    out_.raw("}}");
  }

  void counter(std::string_view category, std::string_view name, Nanos at) {
    begin();
    out_.print("{{\"ph\":\"C\",{}\"name\":{},\"pid\":{},\"tid\":0,", category, in_quotes(name),
               pid_);
    time("ts", zero_, at);
    out_.raw(",\"args\":{");
  }

  // An arrow between two spans of workers, which begins no later than it ends.
  void link(std::size_t i) {
    const Link& link = trace_.links[i];
    const Spans& spans = trace_.spans;
    if (spans.worker[link.from] == kNone || spans.worker[link.to] == kNone) return;
    const Nanos to = spans.begin[link.to];
    const Nanos last = std::max(spans.begin[link.from], spans.end[link.from] - 1);
    const Nanos from = to >= last ? last : spans.begin[link.from];
    const auto point = [&](std::string_view phase, std::uint32_t span, Nanos at) {
      begin();
      out_.print(
          "{{\"ph\":{},\"cat\":\"link\",\"name\":\"link\",\"id\":\"{}.{}\",\"pid\":{},\"tid\":{},",
          phase, pid_, i, pid_, std::size_t{spans.worker[span]} + 1);
      time("ts", zero_, at);
      out_.raw("}");
    };
    point("\"s\"", link.from, from);
    point("\"f\",\"bp\":\"e\"", link.to, to);
  }

  Output& out_;
  const Trace& trace_;
  Nanos zero_;
  std::size_t pid_;
  bool is_first_ = true;
  std::vector<std::string> names_ = {};  // of stages, as JSON
};

}  // namespace

Nanos first_completion(const Trace& trace) {
  std::vector<bool> is_last(trace.stages.size());
  bool has_last = false;
  if (!trace.edges.empty()) {
    for (const Edge& edge : trace.edges) is_last[edge.to] = true;
    for (const Edge& edge : trace.edges) is_last[edge.from] = false;
    for (std::size_t i = 0; i < is_last.size(); ++i) {
      if (trace.stages[i].parent != kNone) is_last[i] = false;
      has_last = has_last || is_last[i];
    }
  }
  std::optional<Nanos> first;
  for (std::size_t i = 0; i < trace.spans.size(); ++i) {
    if (trace.spans.kind[i] != SpanKind::service) continue;
    if (has_last && !is_last[trace.spans.stage[i]]) continue;
    if (!first || trace.spans.end[i] < *first) first = trace.spans.end[i];
  }
  return first.value_or(0);
}

std::string side_name(std::span<const ExportSide> sides, std::size_t which) {
  const std::string& source = sides[which].trace->source;
  if (sides.size() == 1) return source;
  return std::string(1, static_cast<char>('A' + which % 26)) + ": " + source;
}

Result<void> write_chrome_json(std::span<const ExportSide> sides, const Sink& sink) {
  Output out(sink);
  out.raw("{\"otherData\":{\"writer\":\"assay\"},\"displayTimeUnit\":\"ms\",\"traceEvents\":[");
  bool is_first = true;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const Trace& trace = *sides[i].trace;
    Writer(out, trace, sides[i].zero, i + 1).write(side_name(sides, i), is_first);
  }
  out.raw("\n]}\n");
  return out.finish();
}

}  // namespace assay::trace
