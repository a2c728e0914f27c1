// SPDX-License-Identifier: Apache-2.0
#include "trace/importers/trace_json.hpp"

#include <fmt/format.h>

#include <limits>

#include "base/json.hpp"
#include "base/text.hpp"
#include "trace/exporters/trace_json.hpp"

namespace assay::trace {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;
constexpr std::string_view kMark = "{\"assay_trace\":";

// Takes the members of one document; the first thing that is wrong ends it.
class Reading {
 public:
  Reading(const Json& json, Trace& trace) : json_(json), trace_(trace) {}

  std::string run() {
    head();
    graph();
    columns();
    quality();
    return wrong_;
  }

 private:
  void bad(std::string what) {
    if (wrong_.empty()) wrong_ = std::move(what);
  }
  static std::string text_of(const Json& json) {
    const std::string* text = json.to_string();
    return text != nullptr ? *text : std::string();
  }
  // A whole number of `json` in [least, most]; wrong otherwise.
  template <class T>
  T whole(const Json& json, const char* name, std::int64_t least, std::int64_t most) {
    const auto value = json.to_int();
    if (!value || *value < least || *value > most) {
      bad(fmt::format("'{}' holds what is no whole number between {} and {}", name, least, most));
      return T{};
    }
    return static_cast<T>(*value);
  }
  // An id below `count`; -1 = kNone.
  std::uint32_t id(const Json& json, const char* name, std::size_t count) {
    const auto value = whole<std::int64_t>(json, name, -1, static_cast<std::int64_t>(count) - 1);
    return value < 0 ? kNone : static_cast<std::uint32_t>(value);
  }
  template <class T, class F>
  void column(const Json& object, const char* name, std::size_t rows, std::vector<T>& out,
              F convert) {
    const Json& values = object[name];
    if (!values.is_array() || values.size() != rows)
      return bad(fmt::format("column '{}' does not have {} values", name, rows));
    out.reserve(rows);
    for (const Json& value : values.items()) {
      out.push_back(convert(value, name));
      if (!wrong_.empty()) return;
    }
  }
  void times(const Json& object, const char* name, std::size_t rows, std::vector<Nanos>& out) {
    column(object, name, rows, out, [&](const Json& v, const char* n) {
      return whole<Nanos>(v, n, std::numeric_limits<Nanos>::min(), kTop);
    });
  }
  void ids(const Json& object, const char* name, std::size_t rows, std::size_t count,
           std::vector<std::uint32_t>& out) {
    column(object, name, rows, out, [&](const Json& v, const char* n) { return id(v, n, count); });
  }
  template <class E>
  void enums(const Json& object, const char* name, std::size_t rows, int last,
             std::vector<E>& out) {
    column(object, name, rows, out,
           [&](const Json& v, const char* n) { return static_cast<E>(whole<int>(v, n, 0, last)); });
  }
  template <class T>
  std::optional<T> maybe(const Json& object, const char* name) {
    const Json* member = object.find(name);
    if (member == nullptr || member->is_null()) return std::nullopt;
    return whole<T>(
        *member, name, 0,
        sizeof(T) == 4 ? std::int64_t{std::numeric_limits<std::uint32_t>::max()} : kTop);
  }

  void head() {
    trace_.source = text_of(json_["source"]);
    trace_.format = text_of(json_["format"]);
    trace_.host = text_of(json_["host"]);
    trace_.build = text_of(json_["build"]);
    const Json& clock = json_["clock"];
    trace_.clock.source = text_of(clock["source"]);
    trace_.clock.resolution_ns = whole<Nanos>(clock["resolution_ns"], "resolution_ns", 1, kTop);
    if (const Json* epoch = clock.find("epoch_ns"))
      trace_.clock.epoch_ns =
          whole<Nanos>(*epoch, "epoch_ns", std::numeric_limits<Nanos>::min(), kTop);
    for (const Json& setting : json_["settings"].items()) {
      if (setting.size() != 3) return bad("a setting is not [name, value, changed]");
      trace_.settings.push_back({text_of(setting.items()[0]), text_of(setting.items()[1]),
                                 setting.items()[2].to_bool().value_or(false)});
    }
  }

  void graph() {
    const Json& stages = json_["stages"];
    for (const Json& json : stages.items()) {
      const std::string name = text_of(json["name"]);
      if (trace_.find_stage(name) != kNone)
        return bad(fmt::format("stage '{}' is listed twice", printable(name)));
      Stage& stage = trace_.stages[trace_.stage_id(name)];
      stage.kind = static_cast<StageKind>(whole<int>(json["kind"], "kind", 0, 3));
      stage.servers = maybe<std::uint32_t>(json, "servers");
      stage.capacity = maybe<std::uint64_t>(json, "capacity");
      stage.capacity_bytes = maybe<std::uint64_t>(json, "capacity_bytes");
      stage.permits = maybe<std::uint32_t>(json, "permits");
      stage.parent = id(json["parent"], "parent", stages.size());
      stage.servers_from = text_of(json["servers_from"]);
    }
    for (const Json& edge : json_["edges"].items()) {
      if (edge.size() != 2) return bad("an edge is not [from, to]");
      trace_.edges.push_back({id(edge.items()[0], "edges", stages.size()),
                              id(edge.items()[1], "edges", stages.size())});
    }
    for (const Json& worker : json_["workers"].items()) {
      if (worker.size() != 4) return bad("a worker is not [stage, label, pid, tid]");
      trace_.workers.push_back({id(worker.items()[0], "workers", stages.size()),
                                text_of(worker.items()[1]), worker.items()[2].to_int().value_or(-1),
                                worker.items()[3].to_int().value_or(-1)});
    }
    for (const Json& text : json_["strings"].items()) {
      if (trace_.strings.find(text_of(text)) != kNone) return bad("a string is listed twice");
      (void)trace_.strings.intern(text_of(text));
    }
  }

  void items() {
    const Json& json = json_["items"];
    const std::size_t rows = json["key"].size();
    std::vector<std::uint32_t> keys, labels;
    std::vector<std::uint64_t> bytes;
    ids(json, "key", rows, trace_.strings.size(), keys);
    ids(json, "label", rows, trace_.strings.size(), labels);
    column(json, "bytes", rows, bytes,
           [&](const Json& v, const char* n) { return whole<std::uint64_t>(v, n, 0, kTop); });
    if (!wrong_.empty()) return;
    for (std::size_t i = 0; i < rows; ++i) {
      if (keys[i] == kNone || trace_.items.intern(keys[i]) != i)
        return bad("an item is listed twice or has no key");
      trace_.items.label[i] = labels[i];
      trace_.items.bytes[i] = bytes[i];
    }
  }

  void columns() {
    items();
    const Json& spans = json_["spans"];
    const std::size_t rows = spans["begin"].size();
    times(spans, "begin", rows, trace_.spans.begin);
    times(spans, "end", rows, trace_.spans.end);
    ids(spans, "item", rows, trace_.items.size(), trace_.spans.item);
    ids(spans, "stage", rows, trace_.stages.size(), trace_.spans.stage);
    ids(spans, "worker", rows, trace_.workers.size(), trace_.spans.worker);
    enums(spans, "kind", rows, kSpanKinds - 1, trace_.spans.kind);
    enums(spans, "quality", rows, 2, trace_.spans.quality);
    if (!wrong_.empty()) return;
    for (std::size_t i = 0; i < rows; ++i) {
      if (trace_.spans.end[i] < trace_.spans.begin[i] || trace_.spans.stage[i] == kNone)
        return bad(fmt::format("span {} ends before it begins, or has no stage", i));
    }
    points();
  }

  void points() {
    const Json& instants = json_["instants"];
    std::size_t rows = instants["at"].size();
    times(instants, "at", rows, trace_.instants.at);
    ids(instants, "name", rows, trace_.strings.size(), trace_.instants.name);
    ids(instants, "item", rows, trace_.items.size(), trace_.instants.item);
    const Json& counters = json_["counters"];
    rows = counters["at"].size();
    times(counters, "at", rows, trace_.counters.at);
    ids(counters, "name", rows, trace_.strings.size(), trace_.counters.name);
    column(counters, "value", rows, trace_.counters.value,
           [](const Json& v, const char*) { return v.to_double().value_or(0); });
    for (const Json& json : json_["memory"].items()) {
      MemorySeries& series = trace_.memory.emplace_back();
      series.scope = text_of(json["scope"]);
      series.method = text_of(json["method"]);
      times(json, "at", json["at"].size(), series.at);
      column(json, "bytes", series.at.size(), series.bytes,
             [&](const Json& v, const char* n) { return whole<std::uint64_t>(v, n, 0, kTop); });
    }
    for (const Json& link : json_["links"].items()) {
      if (link.size() != 3) return bad("a link is not [from, to, kind]");
      trace_.links.push_back({id(link.items()[0], "links", trace_.spans.size()),
                              id(link.items()[1], "links", trace_.spans.size()),
                              static_cast<LinkKind>(whole<int>(link.items()[2], "links", 0, 3))});
    }
  }

  void quality() {
    trace_.bytes_read = json_["bytes_read"].to_uint().value_or(0);
    trace_.lines_read = json_["lines_read"].to_uint().value_or(0);
    trace_.lines_matched = json_["lines_matched"].to_uint().value_or(0);
    const auto& losses = json_["losses"].items();
    for (std::size_t i = 0; i < losses.size() && i < kLosses; ++i)
      trace_.losses[i] = losses[i].to_uint().value_or(0);
    for (const Json& warning : json_["warnings"].items()) {
      if (warning.size() != 2) return bad("a warning is not [kind, text]");
      trace_.warn(
          static_cast<TraceWarningKind>(whole<int>(warning.items()[0], "warnings", 0,
                                                   static_cast<int>(TraceWarningKind::other))),
          text_of(warning.items()[1]));
    }
  }

  static constexpr std::int64_t kTop = std::numeric_limits<std::int64_t>::max();
  const Json& json_;
  Trace& trace_;
  std::string wrong_;
};

Result<std::string> read_all(ByteSource& source, std::uint64_t most) {
  std::string text;
  std::vector<char> buffer(std::size_t{1} << 20);
  for (;;) {
    const auto got = source.read(buffer);
    if (!got) return fail(got.error());
    if (*got == 0) return text;
    if (text.size() + *got > most)
      return fail(fmt::format("larger than {}, the most that is read of this format",
                              format_bytes(static_cast<double>(most))),
                  source.name());
    text.append(buffer.data(), *got);
  }
}

class TraceJson final : public Importer {
 public:
  std::string_view name() const override { return "assay"; }
  std::string_view caveat() const override {
    return "assay's own export: it says what the importer before it could say";
  }
  int sniff(std::string_view head) const override { return head.starts_with(kMark) ? 100 : 0; }

  Result<Trace> read(ByteSource& source, const ImportOptions& options) const override {
    const auto text = read_all(source, std::min(kMostBytes, options.most_bytes));
    if (!text) return fail(text.error());
    const auto json = parse_json(*text, source.name());
    if (!json) return fail(json.error());
    const auto version = (*json)["assay_trace"].to_int();
    if (!version) return fail("not a trace of assay: 'assay_trace' is missing", source.name());
    if (*version != kTraceJsonVersion)
      return fail(
          fmt::format("a trace of version {}, this assay reads {}", *version, kTraceJsonVersion),
          source.name());
    Trace trace;
    const std::string wrong = Reading(*json, trace).run();
    if (!wrong.empty()) return fail("a damaged trace of assay: " + wrong, source.name());
    trace.source = source.name();
    return trace;
  }
};

}  // namespace

const Importer& trace_json_importer() {
  static const TraceJson kImporter;
  return kImporter;
}

}  // namespace assay::trace
