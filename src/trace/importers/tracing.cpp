// SPDX-License-Identifier: Apache-2.0
// The close events of Rust's tracing-subscriber (FmtSpan::CLOSE):
//   2026-03-04T05:06:07.000000Z  INFO prove{job=a1}:gpu{worker=0}: engine: close time.busy=7.05s
//   time.idle=12.3µs
// and the same as JSON: {"timestamp":..,"fields":{"message":"close","time.busy":..},"span":{..},
// "spans":[..]}. A span is entered and left many times: only the sums are known, so busy is laid
// behind idle, both derived.
#include <fmt/format.h>

#include <algorithm>

#include "base/json.hpp"
#include "trace/importers/span_builder.hpp"
#include "trace/importers/structured.hpp"
#include "trace/line_reader.hpp"
#include "trace/line_shape.hpp"
#include "trace/scanner.hpp"

namespace assay::trace {
namespace {

constexpr std::string_view kBusy = "time.busy", kIdle = "time.idle";

// What a close event says, whichever way it is written.
struct Close {
  Stamp at, busy, idle;
  std::vector<std::string> names = {};  // outermost span first
  std::vector<std::pair<std::string, std::string>> fields = {};
};

// The duration behind key and = or ": in `line`.
std::optional<Stamp> duration_behind(std::string_view line, std::string_view key) {
  const std::size_t at = line.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  const std::size_t value = line.find_first_not_of("=\": ", at + key.size());
  if (value == std::string_view::npos) return std::nullopt;
  return parse_go_duration(line.substr(value));
}

void add_fields(std::string_view inside, Close& close) {
  while (!inside.empty()) {
    const std::size_t equals = inside.find('=');
    if (equals == std::string_view::npos) return;
    std::size_t end = 0, next = 0;
    if (equals + 1 < inside.size() && inside[equals + 1] == '"') {
      end = std::min(inside.find('"', equals + 2), inside.size());
      close.fields.emplace_back(inside.substr(0, equals),
                                inside.substr(equals + 2, end - equals - 2));
      next = std::min(end + 1, inside.size());
    } else {
      end = std::min(inside.find(' ', equals), inside.size());
      close.fields.emplace_back(inside.substr(0, equals),
                                inside.substr(equals + 1, end - equals - 1));
      next = end;
    }
    inside.remove_prefix(next);
    while (!inside.empty() && (inside[0] == ' ' || inside[0] == ',')) inside.remove_prefix(1);
  }
}

// "prove{job=a1}:gpu{worker=0}: engine: close ...": names up to the first ": ".
bool read_scope(std::string_view text, Close& close) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t begin = at;
    while (at < text.size() && text[at] != '{' && text[at] != ':' && text[at] != ' ') ++at;
    if (at == begin || at == text.size() || text[at] == ' ') return false;
    close.names.emplace_back(text.substr(begin, at - begin));
    if (text[at] == '{') {
      bool quoted = false;
      const std::size_t open = at;
      for (; at < text.size() && (quoted || text[at] != '}'); ++at)
        if (text[at] == '"') quoted = !quoted;
      if (at == text.size()) return false;
      add_fields(text.substr(open + 1, at - open - 1), close);
      ++at;
    }
    if (at >= text.size() || text[at] != ':') return false;
    ++at;
    if (at < text.size() && text[at] == ' ') return true;
  }
  return false;
}

std::optional<Close> read_text(std::string_view line) {
  const auto stamp = line_stamp(line);
  const auto busy = duration_behind(line, kBusy), idle = duration_behind(line, kIdle);
  if (!stamp || !busy) return std::nullopt;
  Close close{*stamp, *busy, idle.value_or(Stamp{})};
  std::size_t at = line.find_first_not_of(' ', stamp->length);
  if (at == std::string_view::npos) return std::nullopt;
  const std::size_t level_end = line.find(' ', at);
  if (level_end != std::string_view::npos && is_level(line.substr(at, level_end - at)))
    at = line.find_first_not_of(' ', level_end);
  if (at == std::string_view::npos || !read_scope(line.substr(at), close)) return std::nullopt;
  return close;
}

std::string to_word(const Json& value) {
  if (const std::string* text = value.to_string()) return *text;
  return value.dump();
}

std::optional<Close> read_json(std::string_view line) {
  const auto parsed = parse_json(line);
  if (!parsed) return std::nullopt;
  const Json& fields = (*parsed)["fields"].is_object() ? (*parsed)["fields"] : *parsed;
  const std::string* busy = fields[kBusy].to_string();
  const std::string* idle = fields[kIdle].to_string();
  const auto busy_stamp = busy == nullptr ? std::nullopt : parse_go_duration(*busy);
  const auto stamp = line_stamp(line);
  if (!busy_stamp || !stamp) return std::nullopt;
  Close close{*stamp, *busy_stamp, {}};
  if (idle != nullptr) close.idle = parse_go_duration(*idle).value_or(Stamp{});
  const auto add = [&](const Json& span) {
    for (const auto& [key, value] : span.members()) {
      if (key == "name")
        close.names.push_back(to_word(value));
      else
        close.fields.emplace_back(key, to_word(value));
    }
  };
  for (const Json& span : (*parsed)["spans"].items()) add(span);
  // "spans" leaves the closing span out in some versions.
  const Json& own = (*parsed)["span"];
  if (own.has("name") && (close.names.empty() || close.names.back() != to_word(own["name"])))
    add(own);
  if (close.names.empty()) return std::nullopt;
  return close;
}

class TracingReader {
 public:
  explicit TracingReader(Trace& trace) : trace_(trace), builder_(trace) {}

  void line(std::string_view text, std::uint64_t number) {
    const std::size_t front = text.find_first_not_of(' ');
    if (front == std::string_view::npos) return;
    const auto close = text[front] == '{' ? read_json(text) : read_text(text);
    if (!close) return trace_.lose(Loss::bad_field, number);
    ++trace_.lines_matched;
    const auto t = builder_.place(close->at, number);
    if (!t) return;
    const std::uint32_t slot = builder_.slot(close->names.back(), SpanKind::service);
    const std::uint32_t stage = trace_.stage_id(close->names.back());
    if (close->names.size() > 1) {
      const std::string& outer = close->names[close->names.size() - 2];
      if (outer != close->names.back() && trace_.stages[stage].parent == kNone) {
        const std::uint32_t parent = trace_.stage_id(outer);
        if (!is_inside(parent, stage)) trace_.stages[stage].parent = parent;
      }
    }
    std::vector<std::string_view> parts;
    std::uint32_t worker = kNone;
    for (const auto& [key, value] : close->fields) {
      if (is_worker_key(key))
        worker = builder_.worker(slot, value);
      else if (is_item_key(key) && std::ranges::find(parts, value) == parts.end())
        parts.push_back(value);
    }
    const std::uint32_t item = builder_.item(parts);
    const Nanos busy_from = *t - close->busy.ns;
    if (close->idle.ns > 0)
      builder_.span(builder_.slot(close->names.back(), SpanKind::other), busy_from - close->idle.ns,
                    busy_from, item, worker, Quality::derived, number);
    builder_.span(slot, busy_from, *t, item, worker, Quality::derived, number);
  }

  void finish() { builder_.finish(); }

 private:
  bool is_inside(std::uint32_t stage, std::uint32_t of) const {
    for (std::size_t depth = 0; stage != kNone && depth < 64; ++depth) {
      if (stage == of) return true;
      stage = trace_.stages[stage].parent;
    }
    return stage != kNone;
  }

  Trace& trace_;
  SpanBuilder builder_;
};

class TracingImporter final : public Importer {
 public:
  std::string_view name() const override { return "tracing"; }
  std::string_view caveat() const override {
    return "close events say how long a span was busy and idle, not when: busy is laid at its end";
  }
  int sniff(std::string_view head) const override {
    const std::size_t at = head.find(kBusy);
    return at != std::string_view::npos && head.find(kIdle, at) != std::string_view::npos ? 90 : 0;
  }
  Result<Trace> read(ByteSource& source, const ImportOptions& options) const override {
    Trace trace;
    trace.source = source.name();
    trace.format = name();
    TracingReader reader(trace);
    const LiteralSearch search({std::string(kBusy)});
    std::vector<LiteralSearch::Hit> hits;
    std::string clean;
    LineReader lines(source, options);
    for (;;) {
      const auto block = lines.next();
      if (!block) return fail(block.error());
      if (block->empty()) break;
      std::string_view text = *block;
      const BlockFacts facts = inspect(text);
      if (facts.nul || facts.wide) note_bad(trace, text, lines.first_line());
      if (facts.escape) {
        strip_escapes(text, clean);
        text = clean;
      }
      search.find(text, hits);
      std::uint64_t number = lines.first_line();
      std::size_t counted = 0, line_end = 0;
      for (const auto& hit : hits) {
        if (hit.offset < line_end) continue;
        const std::size_t before = text.rfind('\n', hit.offset);
        const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
        line_end = std::min(text.find('\n', hit.offset), text.size());
        number += count_newlines(text.substr(counted, begin - counted));
        counted = begin;
        reader.line(text.substr(begin, line_end - begin), number);
      }
      trace.lines_read = lines.first_line() - 1 + lines.lines_given();
    }
    trace.bytes_read = lines.bytes();
    if (!lines.torn().empty()) trace.lose(Loss::torn_line, trace.lines_read + 1);
    trace.lost(Loss::long_line) += lines.long_lines();
    reader.finish();
    return trace;
  }

 private:
  static void note_bad(Trace& trace, std::string_view text, std::uint64_t first_line) {
    const BadLines bad = find_bad_lines(text);
    if (bad.count == 0) return;
    trace.lose(Loss::bad_bytes, first_line + count_newlines(text.substr(0, bad.first)));
    trace.lost(Loss::bad_bytes) += bad.count - 1;
  }
};

}  // namespace

const Importer& tracing_importer() {
  static const TracingImporter importer;
  return importer;
}

}  // namespace assay::trace
