// SPDX-License-Identifier: Apache-2.0
#include "trace/importers/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/text.hpp"
#include "trace/importers/span_builder.hpp"
#include "trace/line_reader.hpp"
#include "trace/line_shape.hpp"
#include "trace/rules.hpp"
#include "trace/scanner.hpp"

namespace assay::trace {
namespace {

enum class Role : std::uint8_t {
  none,
  begin,
  end,
  time,
  duration,
  stage,
  kind,
  item,
  worker,
  label,
  bytes,
  value
};

struct RoleName {
  std::string_view name;
  Role role;
};
constexpr RoleName kRoles[] = {
    {"begin", Role::begin},       {"start", Role::begin},  {"begin_time", Role::begin},
    {"start_time", Role::begin},  {"end", Role::end},      {"stop", Role::end},
    {"finish", Role::end},        {"end_time", Role::end}, {"t", Role::time},
    {"time", Role::time},         {"ts", Role::time},      {"timestamp", Role::time},
    {"duration", Role::duration}, {"dur", Role::duration}, {"elapsed", Role::duration},
    {"latency", Role::duration},  {"stage", Role::stage},  {"name", Role::stage},
    {"span", Role::stage},        {"phase", Role::stage},  {"op", Role::stage},
    {"operation", Role::stage},   {"metric", Role::stage}, {"event", Role::stage},
    {"kind", Role::kind},         {"label", Role::label},  {"class", Role::label},
    {"bytes", Role::bytes},       {"value", Role::value}};

struct UnitName {
  std::string_view suffix;
  Nanos ns;
};
constexpr UnitName kUnits[] = {
    {"_ms", 1'000'000},    {"_us", 1'000},          {"_ns", 1},
    {"_s", 1'000'000'000}, {"_sec", 1'000'000'000}, {"_seconds", 1'000'000'000}};

struct Column {
  Role role = Role::none;
  std::string name = {};
  Nanos unit = 0;  // 0 = none named
};

Column to_column(std::string_view header) {
  Column column{Role::none, lower(header)};
  std::string_view base = column.name;
  for (const UnitName& unit : kUnits) {
    if (!base.ends_with(unit.suffix) || base.size() == unit.suffix.size()) continue;
    base.remove_suffix(unit.suffix.size());
    column.unit = unit.ns;
    break;
  }
  for (const RoleName& known : kRoles)
    if (known.name == base) column.role = known.role;
  const bool timed = column.role == Role::begin || column.role == Role::end ||
                     column.role == Role::time || column.role == Role::duration;
  if (column.unit != 0 && !timed) {  // a name that only ends like a unit
    column.unit = 0;
    column.role = Role::none;
    for (const RoleName& known : kRoles)
      if (known.name == column.name) column.role = known.role;
  }
  if (column.role == Role::none && is_worker_key(column.name)) column.role = Role::worker;
  if (column.role == Role::none && is_item_key(column.name)) column.role = Role::item;
  return column;
}

// The fields of a line; false when a quote does not close. Fields with doubled quotes are unescaped
// into `kept`.
bool split(std::string_view line, char separator, std::vector<std::string_view>& fields,
           std::vector<std::string>& kept) {
  fields.clear();
  kept.clear();
  std::size_t at = 0;
  for (;;) {
    if (at < line.size() && line[at] == '"') {
      std::string text;
      bool doubled = false;
      const std::size_t first = ++at;
      for (;;) {
        const std::size_t quote = line.find('"', at);
        if (quote == std::string_view::npos) return false;
        text.append(line.substr(at, quote - at));
        at = quote;
        if (at + 1 >= line.size() || line[at + 1] != '"') break;
        text += '"';
        doubled = true;
        at += 2;
      }
      if (doubled) {
        kept.push_back(std::move(text));
        fields.emplace_back();  // filled in below, when `kept` does not move any more
      } else {
        fields.push_back(line.substr(first, at - first));
      }
      ++at;
      if (at < line.size() && line[at] != separator) return false;
    } else {
      const std::size_t end = std::min(line.find(separator, at), line.size());
      std::string_view field = line.substr(at, end - at);
      while (!field.empty() && field.front() == ' ') field.remove_prefix(1);
      while (!field.empty() && field.back() == ' ') field.remove_suffix(1);
      fields.push_back(field.empty() ? line.substr(at, 0) : field);
      at = end;
    }
    if (at >= line.size()) break;
    ++at;
  }
  std::size_t next = 0;
  for (std::string_view& field : fields)
    if (field.data() == nullptr && next < kept.size()) field = kept[next++];
  return true;
}

char separator_of(std::string_view header) {
  char best = ',';
  for (const char c : {';', '\t'})
    if (std::ranges::count(header, c) > std::ranges::count(header, best)) best = c;
  return best;
}

std::string_view first_line(std::string_view head) {
  if (head.starts_with("\xEF\xBB\xBF")) head.remove_prefix(3);
  head = head.substr(0, head.find('\n'));
  if (head.ends_with('\r')) head.remove_suffix(1);
  return head;
}

std::vector<Column> to_columns(std::string_view header, char separator) {
  std::vector<std::string_view> fields;
  std::vector<std::string> kept;
  std::vector<Column> columns;
  if (!split(header, separator, fields, kept)) return columns;
  for (const std::string_view field : fields) columns.push_back(to_column(field));
  return columns;
}

bool has(const std::vector<Column>& columns, Role role) {
  return std::ranges::any_of(columns, [&](const Column& column) { return column.role == role; });
}

// Why these columns hold no events; "" when they do.
std::string missing(const std::vector<Column>& columns) {
  const bool time = has(columns, Role::time), begin = has(columns, Role::begin),
             end = has(columns, Role::end), duration = has(columns, Role::duration);
  if (!time && !begin && !end) return "no column of times (t, time, timestamp, begin, end)";
  if ((begin && !end && !duration) || (end && !begin && !duration && !time))
    return "a begin or end without the other and without a duration";
  return {};
}

class CsvReader {
 public:
  CsvReader(Trace& trace, std::vector<Column> columns, char separator, Nanos default_unit)
      : trace_(trace),
        builder_(trace),
        columns_(std::move(columns)),
        separator_(separator),
        default_unit_(default_unit) {}

  void row(std::string_view line, std::uint64_t number);
  void finish() { builder_.finish(); }
  // The column whose numbers have no unit, if that was met.
  const std::string& unitless() const { return unitless_; }
  std::uint64_t unitless_line() const { return unitless_line_; }

 private:
  struct Row {
    std::optional<Stamp> begin = {}, end = {}, time = {}, duration = {};
    std::string_view stage = {}, worker = {}, label = {}, value = {};
    SpanKind kind = SpanKind::service;
    std::uint64_t bytes = 0;
    std::vector<std::string_view> item = {};
  };

  std::optional<Stamp> read_time(const Column& column, std::string_view text, std::uint64_t line);
  bool read_field(const Column& column, std::string_view text, std::uint64_t line, Row& row);
  void add(const Row& row, std::uint64_t line);

  Trace& trace_;
  SpanBuilder builder_;
  std::vector<Column> columns_;
  char separator_;
  Nanos default_unit_;
  std::vector<std::string_view> fields_ = {};
  std::vector<std::string> kept_ = {};
  Row row_ = {};
  std::string unitless_ = {};
  std::uint64_t unitless_line_ = 0;
};

std::optional<Stamp> CsvReader::read_time(const Column& column, std::string_view text,
                                          std::uint64_t line) {
  const Nanos unit = column.unit != 0 ? column.unit : default_unit_;
  std::optional<Stamp> stamp;
  if (unit != 0) {
    stamp = parse_decimal(text, unit);
    if (stamp && column.role != Role::duration) stamp->absolute = stamp->ns >= kUnixFrom;
  }
  if (!stamp || stamp->length != text.size()) {
    const auto other = column.role == Role::duration ? parse_go_duration(text) : parse_stamp(text);
    const bool plain = parse_number(text).has_value() && !(other && other->absolute);
    if (unit == 0 && plain) {
      if (unitless_.empty()) {
        unitless_ = column.name;
        unitless_line_ = line;
      }
      return std::nullopt;
    }
    stamp = other;
  }
  if (!stamp || stamp->length != text.size()) return std::nullopt;
  return stamp;
}

// False when the field does not parse.
bool CsvReader::read_field(const Column& column, std::string_view text, std::uint64_t line,
                           Row& row) {
  std::optional<Stamp>* time = nullptr;
  switch (column.role) {
    case Role::begin:
      time = &row.begin;
      break;
    case Role::end:
      time = &row.end;
      break;
    case Role::time:
      time = &row.time;
      break;
    case Role::duration:
      time = &row.duration;
      break;
    case Role::stage:
      if (row.stage.empty()) row.stage = text;
      return true;
    case Role::item:
      if (!text.empty()) row.item.push_back(text);  // an empty cell is no item
      return true;
    case Role::worker:
      if (row.worker.empty()) row.worker = text;
      return true;
    case Role::label:
      row.label = text;
      return true;
    case Role::value:
      row.value = text;
      return text.empty() || parse_number(text).has_value();
    case Role::bytes:
      return text.empty() ||
             std::from_chars(text.data(), text.data() + text.size(), row.bytes).ec == std::errc();
    case Role::kind: {
      if (text.empty()) return true;
      const auto kind = span_kind(lower(text));
      row.kind = kind.value_or(SpanKind::other);
      return kind.has_value();
    }
    case Role::none:
      return true;
  }
  if (text.empty()) return true;
  *time = read_time(column, text, line);
  return time->has_value();
}

void CsvReader::row(std::string_view line, std::uint64_t number) {
  if (line.empty()) return;
  if (!split(line, separator_, fields_, kept_) || fields_.size() != columns_.size())
    return trace_.lose(Loss::malformed_record, number);
  row_.item.clear();
  std::vector<std::string_view> parts = std::move(row_.item);
  row_ = {};
  row_.item = std::move(parts);
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (!read_field(columns_[i], fields_[i], number, row_))
      return trace_.lose(Loss::bad_field, number);
  ++trace_.lines_matched;
  add(row_, number);
}

void CsvReader::add(const Row& row, std::uint64_t line) {
  std::optional<Nanos> begin, end;
  Quality quality = Quality::exact;
  const auto duration = row.duration ? std::optional(row.duration->ns) : std::nullopt;
  if (row.begin) {
    begin = builder_.place(*row.begin, line);
    if (!begin) return;
  }
  const auto& last = row.end ? row.end : row.begin ? std::optional<Stamp>() : row.time;
  if (last) {
    // Rows of spans may be in any order: only their begins are a clock.
    end = builder_.place(*last, row.begin ? 0 : line);
    if (!end) return;
  }
  const std::uint32_t item = builder_.item(row.item);
  if (item != kNone && !row.label.empty())
    trace_.items.label[item] = trace_.strings.intern(row.label);
  if (item != kNone && row.bytes > 0) trace_.items.bytes[item] = row.bytes;
  const std::string_view stage = row.stage.empty() ? "row" : row.stage;
  if (begin && end && duration) {
    const Nanos differs = *end - *begin - *duration;
    const Nanos allowed = trace_.clock.resolution_ns + row.duration->resolution;
    if (differs > allowed || differs < -allowed) trace_.lose(Loss::duration_differs, line);
  }
  if (begin && !end && duration) end = *begin + *duration;
  if (!begin && end && duration) {
    begin = *end - *duration;
    quality = Quality::derived;
  }
  if (begin && end) {
    const std::uint32_t slot = builder_.slot(stage, row.kind);
    const std::uint32_t worker = row.worker.empty() ? kNone : builder_.worker(slot, row.worker);
    return builder_.span(slot, *begin, *end, item, worker, quality, line);
  }
  if (!end) return trace_.lose(Loss::bad_field, line);
  if (!row.value.empty()) {
    trace_.counters.at.push_back(*end);
    trace_.counters.name.push_back(trace_.strings.intern(stage));
    trace_.counters.value.push_back(*parse_number(row.value));
    return;
  }
  trace_.instants.at.push_back(*end);
  trace_.instants.name.push_back(trace_.strings.intern(stage));
  trace_.instants.item.push_back(item);
}

class CsvImporter final : public Importer {
 public:
  std::string_view name() const override { return "csv"; }
  std::string_view caveat() const override {
    return "a time beside a duration is taken for the end; columns with other names are not read";
  }
  int sniff(std::string_view head) const override {
    const std::string_view header = first_line(head);
    if (header.size() == head.size() || header.size() > 4096) return 0;
    const auto columns = to_columns(header, separator_of(header));
    if (columns.size() < 2 || !missing(columns).empty()) return 0;
    const bool named = has(columns, Role::stage) || has(columns, Role::item) ||
                       has(columns, Role::duration) || has(columns, Role::value) ||
                       (has(columns, Role::begin) && has(columns, Role::end));
    return named ? 60 : 0;
  }
  Result<Trace> read(ByteSource& source, const ImportOptions& options) const override;
};

Result<Trace> CsvImporter::read(ByteSource& source, const ImportOptions& options) const {
  Trace trace;
  trace.source = source.name();
  trace.format = name();
  Nanos unit = 0;
  if (options.rules != nullptr)
    for (const UnitName& known : kUnits)
      if (!options.rules->csv_time.empty() && known.suffix.substr(1) == options.rules->csv_time)
        unit = known.ns;
  std::optional<CsvReader> reader;
  LineReader lines(source, options);
  for (;;) {
    const auto block = lines.next();
    if (!block) return fail(block.error());
    if (block->empty()) break;
    std::uint64_t number = lines.first_line();
    const BlockFacts facts = inspect(*block);
    if (facts.nul || facts.wide) {
      const BadLines bad = find_bad_lines(*block);
      if (bad.count > 0) {
        trace.lose(Loss::bad_bytes, number + count_newlines(block->substr(0, bad.first)));
        trace.lost(Loss::bad_bytes) += bad.count - 1;
      }
    }
    for (std::size_t at = 0; at < block->size(); ++number) {
      const std::size_t newline = block->find('\n', at);
      std::string_view line = block->substr(at, newline - at);
      at = newline + 1;
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (reader) {
        reader->row(line, number);
        continue;
      }
      line = first_line(line);
      const char separator = separator_of(line);
      auto columns = to_columns(line, separator);
      if (const std::string why = missing(columns); !why.empty())
        return fail(fmt::format("the header has {}\n{}", why, point_at(line, 0)),
                    fmt::format("{}:{}:1", printable(source.name()), number),
                    "name the columns: begin_ms,end_ms,stage,item,worker");
      reader.emplace(trace, std::move(columns), separator, unit);
    }
    if (reader && !reader->unitless().empty())
      return fail(
          fmt::format("column '{}' holds numbers without a unit", printable(reader->unitless())),
          fmt::format("{}:{}", printable(source.name()), reader->unitless_line()),
          fmt::format("call it {}_ms (or _s, _us, _ns), or say it in the rules: [csv] time = "
                      "\"ms\"",
                      printable(reader->unitless())));
    trace.lines_read = lines.first_line() - 1 + lines.lines_given();
  }
  trace.bytes_read = lines.bytes();
  if (!lines.torn().empty()) trace.lose(Loss::torn_line, trace.lines_read + 1);
  trace.lost(Loss::long_line) += lines.long_lines();
  if (reader) reader->finish();
  return trace;
}

}  // namespace

const Importer& csv_importer() {
  static const CsvImporter importer;
  return importer;
}

}  // namespace assay::trace
