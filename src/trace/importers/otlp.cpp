// SPDX-License-Identifier: Apache-2.0
#include "trace/importers/otlp.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <unordered_map>
#include <vector>

#include "base/random.hpp"
#include "base/text.hpp"
#include "trace/importers/json_scan.hpp"
#include "trace/importers/json_window.hpp"
#include "trace/importers/text_index.hpp"
#include "trace/rules.hpp"

namespace assay::trace {
namespace {

using json::JsonWindow;

// The value of an attribute: {"stringValue": "x"}, {"intValue": "5"}, ...
std::string attribute_text(std::string_view value, bool* bad) {
  std::string text;
  json::each_member(
      value, [&](std::string_view, std::string_view inner) { text = json::to_text(inner, bad); });
  return text;
}

// The value of attribute `key` in [{"key": ..., "value": {...}}, ...]; nothing when absent.
std::optional<std::string> find_attribute(std::string_view attributes, std::string_view key,
                                          bool* bad) {
  std::optional<std::string> found;
  json::each_element(attributes, [&](std::string_view attribute) {
    if (found) return;
    const std::optional<std::string_view> name = json::member(attribute, "key");
    const std::optional<std::string_view> value = json::member(attribute, "value");
    if (name && value && json::to_text(*name, bad) == key) found = attribute_text(*value, bad);
  });
  return found;
}

// Nanoseconds as a string or a number.
std::optional<Nanos> to_nanos(std::string_view value) {
  if (value.starts_with('"')) value.remove_prefix(1);
  Nanos result = 0;
  int decimals = 0;
  if (json::scan_fixed<0>(value.data(), result, decimals) == nullptr) return std::nullopt;
  return result;
}

// A span as its JSON has it; views into it.
struct SpanText {
  std::string_view trace = {}, id = {}, parent = {}, name = {}, begin = {}, end = {};
  std::string_view attributes = {}, events = {}, status = {};
};

std::string_view inside(std::string_view value) {
  if (value.size() >= 2 && value.front() == '"') return value.substr(1, value.size() - 2);
  return value == "null" ? std::string_view() : value;
}

bool scan_span(std::string_view text, SpanText& span) {
  return json::each_member(text, [&](std::string_view key, std::string_view value) {
    if (key == "traceId") span.trace = inside(value);
    if (key == "spanId") span.id = inside(value);
    if (key == "parentSpanId") span.parent = inside(value);
    if (key == "name") span.name = inside(value);
    if (key == "startTimeUnixNano") span.begin = value;
    if (key == "endTimeUnixNano") span.end = value;
    if (key == "attributes") span.attributes = value;
    if (key == "events") span.events = value;
    if (key == "status") span.status = value;
  });
}

class Reader {
 public:
  Reader(ByteSource& source, const ImportOptions& options)
      : source_(source), window_(source, options) {
    if (options.rules != nullptr) item_fields_ = options.rules->item;
    for (std::string& field : item_fields_) {
      if (field.starts_with("attributes.")) field.erase(0, 11);
    }
  }

  Result<Trace> read() {
    for (;;) {
      const Result<char> next = window_.peek();
      if (!next) return fail(next.error());
      if (window_.at == window_.end) break;
      const Result<void> done = *next == '{' ? read_document() : skip_malformed();
      if (!done) return fail(done.error());
    }
    if (!has_spans_) {
      return fail("holds no \"resourceSpans\", so it is not OTLP JSON", printable(source_.name()),
                  "metrics and logs of OpenTelemetry have no spans; export traces");
    }
    finish();
    return std::move(trace_);
  }

 private:
  using Step = std::function<Result<void>(std::string_view key)>;

  // Calls `step` at the value of each member of the object at hand; it has to consume it.
  Result<void> members(const Step& step) {
    ++window_.at;
    for (;;) {
      const Result<char> next = window_.peek();
      if (!next) return fail(next.error());
      if (window_.at == window_.end) return torn();
      if (*next == '}' || *next == ',') {
        ++window_.at;
        if (*next == '}') return {};
        continue;
      }
      if (*next != '"') {
        const Result<void> skipped = skip_malformed();
        if (!skipped) return skipped;
        continue;
      }
      const auto written = window_.value();
      if (!written) return fail(written.error());
      if (!*written) continue;
      const std::string key(inside(**written));
      const Result<char> colon = window_.peek();
      if (!colon) return fail(colon.error());
      if (*colon != ':') {
        ++trace_.lost(Loss::malformed_record);
        continue;
      }
      ++window_.at;
      const Result<char> value = window_.peek();
      if (!value) return fail(value.error());
      const Result<void> done = step(key);
      if (!done) return done;
    }
  }

  // Calls `step` at each element of the array at hand, or skips what is none.
  Result<void> elements(char kind, const std::function<Result<void>()>& step) {
    if (window_.at == window_.end || *window_.at != '[') return skip();
    ++window_.at;
    for (;;) {
      const Result<char> next = window_.peek();
      if (!next) return fail(next.error());
      if (window_.at == window_.end) return torn();
      if (*next == ']' || *next == ',') {
        ++window_.at;
        if (*next == ']') return {};
        continue;
      }
      const Result<void> done = *next == kind ? step() : skip_malformed();
      if (!done) return done;
    }
  }

  Result<void> read_document() {
    return members([&](std::string_view key) {
      if (key != "resourceSpans" && key != "resource_spans") return skip();
      has_spans_ = true;
      return elements('{', [&] { return read_resource(); });
    });
  }

  Result<void> read_resource() {
    // Of one service there is one number, unless its spans come before its name.
    std::uint32_t resource = kNone;
    return members([&](std::string_view key) -> Result<void> {
      if (key == "resource") {
        const auto value = window_.value();
        if (!value) return fail(value.error());
        if (!*value) return {};
        const std::string name = service_of(**value);
        if (resource != kNone) {
          services_[resource] = name;
          return {};
        }
        const auto [place, is_new] =
            service_ids_.try_emplace(name, static_cast<std::uint32_t>(services_.size()));
        if (is_new) services_.push_back(name);
        resource = place->second;
        return {};
      }
      if (key != "scopeSpans" && key != "scope_spans" && key != "instrumentationLibrarySpans") {
        return skip();
      }
      if (resource == kNone) {
        resource = static_cast<std::uint32_t>(services_.size());
        services_.emplace_back();
      }
      resource_ = resource;
      return elements('{', [&] {
        return members([&](std::string_view inner) {
          if (inner != "spans") return skip();
          return elements('{', [&] { return read_span(); });
        });
      });
    });
  }

  std::string service_of(std::string_view resource) {
    const std::optional<std::string_view> attributes = json::member(resource, "attributes");
    if (!attributes) return {};
    bool is_bad = false;
    std::string name = find_attribute(*attributes, "service.name", &is_bad).value_or("");
    if (is_bad) ++trace_.lost(Loss::bad_bytes);
    return name;
  }

  Result<void> read_span() {
    const auto text = window_.value();
    if (!text) return fail(text.error());
    ++trace_.lines_read;
    if (!*text) {
      if (window_.at == window_.end && !is_torn_) return torn();
      return {};
    }
    SpanText span;
    if (!scan_span(**text, span)) {
      ++trace_.lost(Loss::malformed_record);
      return {};
    }
    add(span);
    return {};
  }

  void add(const SpanText& span) {
    if (span.begin.empty()) {
      ++trace_.lost(Loss::malformed_record);
      return;
    }
    const std::optional<Nanos> begin = to_nanos(span.begin);
    if (!begin || *begin <= 0) {
      ++trace_.lost(Loss::bad_field);
      return;
    }
    const std::optional<Nanos> end = span.end.empty() ? Nanos{0} : to_nanos(span.end);
    if (!end) {
      ++trace_.lost(Loss::bad_field);
      return;
    }
    const bool is_open = *end == 0;  // absent or 0: not ended
    if (!is_open && *end < *begin) {
      ++trace_.lost(Loss::negative_span);
      return;
    }
    if (!base_) base_ = *begin;
    const Nanos from = *begin - *base_;  // both are positive
    const Nanos to = is_open ? from : *end - *base_;
    last_ = std::max(last_, to);
    const auto index = static_cast<std::uint32_t>(trace_.spans.size());
    if (is_open) {
      ++trace_.lost(Loss::missing_end);
      open_.push_back(index);
    }
    ++trace_.lines_matched;
    note_ids(span, index);
    trace_.spans.push(from, to, item(span), pair_of(span.name), worker(span.trace),
                      SpanKind::service, is_open ? Quality::clipped : Quality::exact);
    add_events(span);
    const std::optional<std::string_view> code =
        span.status.empty() ? std::nullopt : json::member(span.status, "code");
    if (code == "2" || code == "\"STATUS_CODE_ERROR\"") ++errors_;
  }

  void note_ids(const SpanText& span, std::uint32_t index) {
    if (span.trace.empty() || span.id.empty()) {
      ++trace_.lost(Loss::bad_field);
      return;
    }
    const std::uint64_t of_trace = fnv1a64(span.trace) * 0x9e3779b97f4a7c15U;
    ids_.push_back({of_trace ^ fnv1a64(span.id), index});
    const bool is_root = span.parent.find_first_not_of('0') == std::string_view::npos;
    if (!is_root) parents_.push_back({of_trace ^ fnv1a64(span.parent), index});
  }

  // The number of (resource, name); the stage is made in finish(), when the service is known.
  std::uint32_t pair_of(std::string_view name) {
    const std::uint32_t number = names_.find(name, resource_);
    if (number == pairs_.size()) pairs_.push_back({resource_, std::string(name)});
    return number;
  }

  std::uint32_t worker(std::string_view id) {
    if (id.empty()) return kNone;
    const std::uint32_t number = traces_.find(id);
    if (number == trace_.workers.size()) {
      Worker worker;
      worker.label = "trace " + text(id);
      trace_.workers.push_back(std::move(worker));
    }
    return number;
  }

  std::uint32_t item(const SpanText& span) {
    if (item_fields_.empty() || span.attributes.empty()) return kNone;
    std::string key;
    bool is_bad = false;
    for (const std::string& field : item_fields_) {
      const std::optional<std::string> value = find_attribute(span.attributes, field, &is_bad);
      if (!value) return kNone;
      if (&field != item_fields_.data()) key += '/';
      key += *value;
    }
    if (is_bad) ++trace_.lost(Loss::bad_bytes);
    return trace_.items.intern(trace_.strings.intern(key));
  }

  void add_events(const SpanText& span) {
    if (span.events.empty()) return;
    json::each_element(span.events, [&](std::string_view event) {
      const std::optional<std::string_view> time = json::member(event, "timeUnixNano");
      const std::optional<std::string_view> name = json::member(event, "name");
      const std::optional<Nanos> at = time ? to_nanos(*time) : std::nullopt;
      if (!at || *at <= 0 || !name) {
        ++trace_.lost(Loss::bad_field);
        return;
      }
      trace_.instants.at.push_back(*at - *base_);
      trace_.instants.name.push_back(trace_.strings.intern(text(inside(*name))));
      trace_.instants.item.push_back(kNone);
    });
  }

  std::string text(std::string_view written) {
    bool is_bad = false;
    std::string plain = json::unescape(written, &is_bad);
    if (is_bad) ++trace_.lost(Loss::bad_bytes);
    return plain;
  }

  Result<void> skip() {
    const Result<bool> whole = window_.skip();
    if (!whole) return fail(whole.error());
    return *whole ? Result<void>() : torn();
  }

  Result<void> torn() {
    if (!is_torn_) ++trace_.lost(Loss::torn_line);
    is_torn_ = true;
    return {};
  }

  Result<void> skip_malformed() {
    ++trace_.lost(Loss::malformed_record);
    const char c = *window_.at;
    if (c == '}' || c == ']' || c == ':' || c == ',') {
      ++window_.at;
      return {};
    }
    return skip();
  }

  void finish();
  void drop_duplicates();
  void link_parents();

  struct IdOf {
    std::uint64_t id = 0;  // hash of trace and span id
    std::uint32_t span = kNone;
    bool operator<(const IdOf& other) const {
      return id != other.id ? id < other.id : span < other.span;
    }
  };
  struct Pair {
    std::uint32_t resource = 0;
    std::string name = {};
  };

  ByteSource& source_;
  JsonWindow window_;
  Trace trace_ = {};
  std::vector<std::string> item_fields_ = {};
  std::vector<std::string> services_ = {};  // by resource
  std::unordered_map<std::string, std::uint32_t> service_ids_ = {};
  std::vector<Pair> pairs_ = {};
  std::uint32_t resource_ = 0;
  TextIndex names_ = {}, traces_ = {};
  std::vector<IdOf> ids_ = {}, parents_ = {};
  std::vector<std::uint32_t> open_ = {};
  std::optional<Nanos> base_ = {};
  Nanos last_ = 0;
  std::uint64_t errors_ = 0;
  bool has_spans_ = false, is_torn_ = false;
};

void Reader::finish() {
  for (const std::uint32_t span : open_) {
    trace_.spans.end[span] = std::max(trace_.spans.begin[span], last_);
  }
  std::vector<std::uint32_t> stages;
  for (const Pair& pair : pairs_) {
    const std::string& service = services_[pair.resource];
    stages.push_back(trace_.stage_id((service.empty() ? "" : service + " / ") + text(pair.name)));
  }
  for (std::uint32_t& stage : trace_.spans.stage) stage = stages[stage];
  std::sort(ids_.begin(), ids_.end());
  drop_duplicates();
  link_parents();
  trace_.source = source_.name();
  trace_.format = "otlp";
  trace_.bytes_read = window_.bytes();
  trace_.lost(Loss::long_line) += window_.long_values();
  trace_.clock.source = "unix";
  trace_.clock.epoch_ns = base_;
  if (errors_ > 0) {
    trace_.warn(
        TraceWarningKind::other,
        fmt::format("{} of {} spans ended with status ERROR; their durations are counted like "
                    "the others'",
                    errors_, trace_.lines_matched));
  }
}

// Exporters that retry write a span twice: the first one counts.
void Reader::drop_duplicates() {
  std::vector<bool> is_again(trace_.spans.size());
  std::size_t count = 0;
  for (std::size_t i = 1; i < ids_.size(); ++i) {
    if (ids_[i].id != ids_[i - 1].id) continue;
    is_again[ids_[i].span] = true;
    ++count;
  }
  if (count == 0) return;
  trace_.lost(Loss::duplicate) += count;
  std::vector<std::uint32_t> place(trace_.spans.size(), kNone);
  Spans kept;
  for (std::uint32_t i = 0; i < trace_.spans.size(); ++i) {
    if (is_again[i]) continue;
    const Spans& spans = trace_.spans;
    place[i] = static_cast<std::uint32_t>(kept.size());
    kept.push(spans.begin[i], spans.end[i], spans.item[i], spans.stage[i], spans.worker[i],
              spans.kind[i], spans.quality[i]);
  }
  trace_.spans = std::move(kept);
  for (std::vector<IdOf>* list : {&ids_, &parents_}) {
    for (IdOf& entry : *list) entry.span = place[entry.span];
    std::erase_if(*list, [](const IdOf& entry) { return entry.span == kNone; });
  }
}

void Reader::link_parents() {
  std::size_t missing = 0;
  for (const IdOf& child : parents_) {
    const auto found = std::lower_bound(ids_.begin(), ids_.end(), IdOf{child.id, 0});
    if (found == ids_.end() || found->id != child.id) {
      ++missing;
    } else if (found->span != child.span) {
      trace_.links.push_back({found->span, child.span, LinkKind::launch});
    }
  }
  if (missing > 0) {
    trace_.warn(
        TraceWarningKind::lost_events,
        fmt::format("{} spans name a parent that this file does not have: spans were sampled "
                    "out, or other services write to other files",
                    missing));
  }
}

class OtlpImporter : public Importer {
 public:
  std::string_view name() const override { return "otlp"; }
  std::string_view caveat() const override {
    return "OpenTelemetry spans do not say which thread was busy: the spans of a trace share a "
           "worker "
           "and may overlap, and clocks of several hosts are taken for one";
  }
  int sniff(std::string_view head) const override {
    const std::size_t first = head.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || head[first] != '{') return 0;
    const bool is_otlp = head.find("\"resourceSpans\"") != std::string_view::npos ||
                         head.find("\"resource_spans\"") != std::string_view::npos;
    return is_otlp ? 95 : 0;
  }
  Result<Trace> read(ByteSource& source, const ImportOptions& options) const override {
    return Reader(source, options).read();
  }
};

}  // namespace

const Importer& otlp_importer() {
  static const OtlpImporter importer;
  return importer;
}

}  // namespace assay::trace
