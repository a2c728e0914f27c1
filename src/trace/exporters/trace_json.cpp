// SPDX-License-Identifier: Apache-2.0
#include "trace/exporters/trace_json.hpp"

#include <fmt/format.h>
#include <zstd.h>

#include <iterator>
#include <span>

#include "base/json.hpp"

namespace assay::trace {
namespace {

constexpr std::size_t kPiece = std::size_t{256} << 10;

class JsonWriter {
 public:
  explicit JsonWriter(const std::function<Result<void>(std::string_view)>& sink) : sink_(sink) {}

  void raw(std::string_view text) {
    out_ += text;
    if (out_.size() >= kPiece) flush();
  }
  void text(std::string_view value) { raw(Json(value).dump()); }
  void key(std::string_view name) {
    raw(fmt::format("{}\"{}\":", fresh_ ? "" : ",", name));
    fresh_ = false;
  }
  void open(std::string_view bracket) {
    raw(bracket);
    fresh_ = true;
  }
  void close(std::string_view bracket) {
    raw(bracket);
    fresh_ = false;
  }
  void text_member(std::string_view name, std::string_view value) {
    if (value.empty()) return;
    key(name);
    text(value);
  }
  template <class T>
  void number_member(std::string_view name, T value) {
    key(name);
    raw(fmt::format("{}", value));
  }
  // kNone is -1.
  template <class T>
  void column(std::string_view name, std::span<const T> values) {
    key(name);
    raw("[");
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i > 0) out_ += ',';
      if constexpr (std::is_same_v<T, std::uint32_t>)
        fmt::format_to(std::back_inserter(out_), "{}",
                       values[i] == kNone ? -1 : static_cast<std::int64_t>(values[i]));
      else if constexpr (std::is_same_v<T, double>)
        out_ += Json(values[i]).dump();
      else if constexpr (std::is_enum_v<T>)
        fmt::format_to(std::back_inserter(out_), "{}", static_cast<int>(values[i]));
      else
        fmt::format_to(std::back_inserter(out_), "{}", values[i]);
      if (out_.size() >= kPiece) flush();
    }
    raw("]");
    fresh_ = false;
  }
  template <class T, class F>
  void list(std::string_view name, const std::vector<T>& values, F write) {
    key(name);
    raw("[");
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i > 0) raw(",");
      write(values[i]);
    }
    raw("]");
    fresh_ = false;
  }
  Result<void> finish() {
    flush();
    return std::move(state_);
  }

 private:
  void flush() {
    if (state_) state_ = sink_(out_);
    out_.clear();
  }

  const std::function<Result<void>(std::string_view)>& sink_;
  std::string out_;
  bool fresh_ = true;  // nothing in the open bracket yet
  Result<void> state_;
};

std::int64_t id(std::uint32_t value) { return value == kNone ? -1 : std::int64_t{value}; }

void write_stage(JsonWriter& w, const Stage& stage) {
  w.open("{");
  w.key("name");
  w.text(stage.name);
  w.number_member("kind", static_cast<int>(stage.kind));
  if (stage.servers) w.number_member("servers", *stage.servers);
  if (stage.capacity) w.number_member("capacity", *stage.capacity);
  if (stage.capacity_bytes) w.number_member("capacity_bytes", *stage.capacity_bytes);
  if (stage.permits) w.number_member("permits", *stage.permits);
  w.number_member("parent", id(stage.parent));
  w.text_member("servers_from", stage.servers_from);
  w.close("}");
}

void write_head(JsonWriter& w, const Trace& trace) {
  w.number_member("assay_trace", kTraceJsonVersion);
  w.text_member("source", trace.source);
  w.text_member("format", trace.format);
  w.text_member("host", trace.host);
  w.text_member("build", trace.build);
  w.key("clock");
  w.open("{");
  w.text_member("source", trace.clock.source);
  w.number_member("resolution_ns", trace.clock.resolution_ns);
  if (trace.clock.epoch_ns) w.number_member("epoch_ns", *trace.clock.epoch_ns);
  w.close("}");
  w.list("settings", trace.settings, [&](const Setting& setting) {
    w.raw("[");
    w.text(setting.name);
    w.raw(",");
    w.text(setting.value);
    w.raw(setting.changed ? ",true]" : ",false]");
  });
}

void write_graph(JsonWriter& w, const Trace& trace) {
  w.list("stages", trace.stages, [&](const Stage& stage) { write_stage(w, stage); });
  w.list("edges", trace.edges,
         [&](const Edge& edge) { w.raw(fmt::format("[{},{}]", id(edge.from), id(edge.to))); });
  w.list("workers", trace.workers, [&](const Worker& worker) {
    w.raw(fmt::format("[{},", id(worker.stage)));
    w.text(worker.label);
    w.raw(fmt::format(",{},{}]", worker.pid, worker.tid));
  });
  w.key("strings");
  w.raw("[");
  for (std::uint32_t i = 0; i < trace.strings.size(); ++i) {
    if (i > 0) w.raw(",");
    w.text(trace.strings.at(i));
  }
  w.raw("]");
}

void write_columns(JsonWriter& w, const Trace& trace) {
  const auto column = [&]<class T>(const char* name, const std::vector<T>& values) {
    w.column(name, std::span<const T>(values));
  };
  w.key("items");
  w.open("{");
  column("key", trace.items.key);
  column("label", trace.items.label);
  column("bytes", trace.items.bytes);
  w.close("}");
  w.key("spans");
  w.open("{");
  column("begin", trace.spans.begin);
  column("end", trace.spans.end);
  column("item", trace.spans.item);
  column("stage", trace.spans.stage);
  column("worker", trace.spans.worker);
  column("kind", trace.spans.kind);
  column("quality", trace.spans.quality);
  w.close("}");
  w.key("instants");
  w.open("{");
  column("at", trace.instants.at);
  column("name", trace.instants.name);
  column("item", trace.instants.item);
  w.close("}");
  w.key("counters");
  w.open("{");
  column("at", trace.counters.at);
  column("name", trace.counters.name);
  column("value", trace.counters.value);
  w.close("}");
  w.list("memory", trace.memory, [&](const MemorySeries& series) {
    w.open("{");
    w.text_member("scope", series.scope);
    w.text_member("method", series.method);
    column("at", series.at);
    column("bytes", series.bytes);
    w.close("}");
  });
  w.list("links", trace.links, [&](const Link& link) {
    w.raw(fmt::format("[{},{},{}]", id(link.from), id(link.to), static_cast<int>(link.kind)));
  });
}

void write_quality(JsonWriter& w, const Trace& trace) {
  w.number_member("bytes_read", trace.bytes_read);
  w.number_member("lines_read", trace.lines_read);
  w.number_member("lines_matched", trace.lines_matched);
  w.column("losses", std::span<const std::uint64_t>(trace.losses));
  w.list("warnings", trace.warnings, [&](const TraceWarning& warning) {
    w.raw(fmt::format("[{},", static_cast<int>(warning.kind)));
    w.text(warning.text);
    w.raw("]");
  });
}

}  // namespace

Result<void> write_trace_json(const Trace& trace,
                              const std::function<Result<void>(std::string_view)>& sink) {
  JsonWriter w(sink);
  w.open("{");
  write_head(w, trace);
  write_graph(w, trace);
  write_columns(w, trace);
  write_quality(w, trace);
  w.close("}\n");
  return w.finish();
}

Result<std::string> trace_json_zst(const Trace& trace) {
  std::string plain;
  const auto written = write_trace_json(trace, [&](std::string_view piece) -> Result<void> {
    plain += piece;
    return {};
  });
  if (!written) return fail(written.error());
  std::string packed(ZSTD_compressBound(plain.size()), '\0');
  const std::size_t size =
      ZSTD_compress(packed.data(), packed.size(), plain.data(), plain.size(), 3);
  if (ZSTD_isError(size))
    return fail(fmt::format("the events cannot be compressed: {}", ZSTD_getErrorName(size)));
  packed.resize(size);
  return packed;
}

}  // namespace assay::trace
