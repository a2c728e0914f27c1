// SPDX-License-Identifier: Apache-2.0
#include "trace/importers/tracy_csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

#include "base/text.hpp"
#include "trace/importers/clean_text.hpp"
#include "trace/importers/each_line.hpp"
#include "trace/timestamps.hpp"

namespace assay::trace {
namespace {

constexpr std::size_t kAbsent = static_cast<std::size_t>(-1);

// The fields of a line. Names of zones may hold commas and are not quoted: of too many fields the
// first ones belong together. `count` = 0: as many as there are.
void split_fields(std::string_view line, std::size_t count, std::vector<std::string_view>& fields) {
  fields.clear();
  for (std::string_view rest = line;;) {
    std::size_t end = rest.find(',');
    if (rest.starts_with('"')) {
      const std::size_t quote = rest.find("\",", 1);
      if (quote != std::string_view::npos) end = quote + 1;
    }
    std::string_view field = rest.substr(0, end);
    if (field.size() >= 2 && field.starts_with('"') && field.ends_with('"')) {
      field = field.substr(1, field.size() - 2);
    }
    fields.push_back(field);
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  if (count == 0 || fields.size() <= count) return;
  const std::size_t extra = fields.size() - count;
  const char* begin = fields[0].data();
  const char* end = fields[extra].data() + fields[extra].size();
  fields[0] = std::string_view(begin, static_cast<std::size_t>(end - begin));
  fields.erase(fields.begin() + 1, fields.begin() + 1 + static_cast<std::ptrdiff_t>(extra));
}

// Where the columns are that we read.
struct Columns {
  std::size_t count = 0;
  std::size_t name = kAbsent, begin = kAbsent, duration = kAbsent, thread = kAbsent;
  std::size_t total = kAbsent, calls = kAbsent;

  bool is_spans() const { return begin != kAbsent && duration != kAbsent; }
  bool is_totals() const { return !is_spans() && total != kAbsent && calls != kAbsent; }
};

std::optional<Columns> parse_header(std::string_view line) {
  if (line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);
  std::vector<std::string_view> fields;
  split_fields(line, 0, fields);
  Columns columns;
  columns.count = fields.size();
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i] == "name") columns.name = i;
    if (fields[i] == "ns_since_start") columns.begin = i;
    if (fields[i] == "exec_time_ns") columns.duration = i;
    if (fields[i] == "thread") columns.thread = i;
    if (fields[i] == "total_ns") columns.total = i;
    if (fields[i] == "counts") columns.calls = i;
  }
  if (columns.name != 0 || !(columns.is_spans() || columns.is_totals())) return std::nullopt;
  return columns;
}

class Reader {
 public:
  Result<Trace> read(ByteSource& source, const ImportOptions& options) {
    const Result<void> done =
        each_line(source, options, trace_, [&](std::string_view line) { add(line); });
    if (!done) return fail(done.error());
    if (!columns_) {
      return fail("has no header of tracy-csvexport (name,src_file,src_line,...)",
                  printable(source.name()),
                  "'tracy-csvexport -u trace.tracy > trace.csv' writes it");
    }
    trace_.source = source.name();
    trace_.format = "tracy_csv";
    trace_.clock.source = columns_->is_spans() ? "tracy, ns" : "totals";
    if (columns_->is_totals()) {
      trace_.warn(
          TraceWarningKind::derived,
          "this file has totals by zone and no times: a zone's total holds that of the zones "
          "inside it, so do not add them up; 'tracy-csvexport -u' writes every zone");
    }
    return std::move(trace_);
  }

 private:
  void add(std::string_view line) {
    if (line.empty()) return;
    if (!columns_) {
      if (is_bad_header_) return;
      columns_ = parse_header(line);
      is_bad_header_ = !columns_;
      return;
    }
    split_fields(line, columns_->count, fields_);
    if (fields_.size() != columns_->count) {
      ++trace_.lost(Loss::malformed_record);
      return;
    }
    if (columns_->is_spans()) {
      add_span();
    } else {
      add_total();
    }
  }

  // A whole number of ns.
  std::optional<Nanos> number(std::size_t column) {
    const std::string_view text = fields_[column];
    const std::optional<Stamp> stamp = parse_decimal(text, 1);
    if (!stamp || stamp->length != text.size()) {
      ++trace_.lost(Loss::bad_field);
      return std::nullopt;
    }
    return stamp->ns;
  }

  void add_span() {
    const std::optional<Nanos> begin = number(columns_->begin);
    if (!begin) return;
    const std::optional<Nanos> duration = number(columns_->duration);
    if (!duration) return;
    if (*duration < 0) {
      ++trace_.lost(Loss::negative_span);
      return;
    }
    Nanos end = 0;
    if (__builtin_add_overflow(*begin, *duration, &end)) {
      ++trace_.lost(Loss::bad_field);
      return;
    }
    ++trace_.lines_matched;
    trace_.spans.push(*begin, end, kNone, stage(), worker(), SpanKind::service, Quality::exact);
  }

  void add_total() {
    const std::optional<Nanos> total = number(columns_->total);
    if (!total) return;
    const std::optional<Nanos> calls = number(columns_->calls);
    if (!calls) return;
    if (*total < 0) {
      ++trace_.lost(Loss::negative_span);
      return;
    }
    Nanos end = 0;
    if (__builtin_add_overflow(free_, *total, &end)) {
      ++trace_.lost(Loss::bad_field);
      return;
    }
    ++trace_.lines_matched;
    const std::uint32_t zone = stage();
    trace_.counters.at.push_back(free_);
    trace_.counters.name.push_back(trace_.strings.intern("calls of " + trace_.stages[zone].name));
    trace_.counters.value.push_back(static_cast<double>(*calls));
    trace_.spans.push(free_, end, kNone, zone, trace_.worker_id(kNone, "all zones"),
                      SpanKind::service, Quality::derived);
    free_ = end;
  }

  std::uint32_t stage() { return trace_.stage_id(clean_text(trace_, fields_[0])); }

  std::uint32_t worker() {
    if (columns_->thread == kAbsent) return kNone;
    const std::string_view thread = fields_[columns_->thread];
    const std::uint32_t id = trace_.worker_id(kNone, "thread " + clean_text(trace_, thread));
    std::int64_t tid = -1;
    const auto [behind, error] = std::from_chars(thread.data(), thread.data() + thread.size(), tid);
    if (error == std::errc() && behind == thread.data() + thread.size()) {
      trace_.workers[id].tid = tid;
    }
    return id;
  }

  Trace trace_ = {};
  std::optional<Columns> columns_ = {};
  bool is_bad_header_ = false;
  std::vector<std::string_view> fields_ = {};
  Nanos free_ = 0;  // where the next total is laid
};

class TracyCsvImporter : public Importer {
 public:
  std::string_view name() const override { return "tracy_csv"; }
  std::string_view caveat() const override {
    return "tracy-csvexport writes zones only: no messages, plots, locks or memory, and without -u "
           "only totals by zone";
  }
  int sniff(std::string_view head) const override {
    return parse_header(head.substr(0, head.find_first_of("\r\n"))) ? 95 : 0;
  }
  Result<Trace> read(ByteSource& source, const ImportOptions& options) const override {
    return Reader().read(source, options);
  }
};

}  // namespace

const Importer& tracy_csv_importer() {
  static const TracyCsvImporter importer;
  return importer;
}

}  // namespace assay::trace
