// SPDX-License-Identifier: Apache-2.0
// What the readers share: JSON that tools write and JSON does not allow, CSV cells, units, and the
// series of a file as they are found. Limits stand here: a file is outside text.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"
#include "results/results.hpp"

namespace assay::results {

inline constexpr std::size_t kMostBytes = std::size_t{64} << 20;  // of one file
inline constexpr std::size_t kMostSeries = 200'000;
inline constexpr std::size_t kMostCells = 1'000;  // in a line of CSV

struct ReadJson {
  Json json = {};
  bool truncated = false;  // the end was missing: what stands here are the entries before it
};

// JSON as tools write it: bare NaN, Infinity and -inf become "" (a number that is not there). Text
// that ends in the middle keeps the elements of its lists that were complete. Errors:
// "NAME:LINE:COLUMN: what (offset N)".
Result<ReadJson> read_json(std::string_view text, const std::string& name);
// Of a value that must be there: "NAME: benchmarks[3].real_time: not a number".
Error wrong_member(const std::string& name, const std::string& path, const std::string& what);

// "NAME:LINE".
std::string at_line(const std::string& name, std::size_t line);

// One row of CSV; quoted cells may span lines.
struct CsvRow {
  std::size_t line = 1;  // of its first byte, counted from 1
  std::vector<std::string> cells = {};
};
// All rows of RFC 4180 text with this separator; empty lines are left out. Errors: a quote that is
// never closed, text behind one, too many cells; with the line.
Result<std::vector<CsvRow>> read_csv(std::string_view text, char separator,
                                     const std::string& name);

// Seconds in one "ns", "us", "ms", "s", "min" (and spelled out, and as "µs"); nothing for others.
std::optional<double> seconds_per(std::string_view unit);
// A unit of the field as a base unit: {"MB/s"} -> {"B/s", 1e6, higher}; "ops/sec" -> {"1/s", 1,
// higher}; "ms/op" -> {"s", 1e-3, lower}. An unknown unit is itself, lower unless it is a rate.
struct BaseUnit {
  std::string unit = {};
  double factor = 1;
  Direction better = Direction::lower;
};
BaseUnit base_unit(std::string_view unit);
// What a metric in this base unit is called when the tool gives it no name: "time", "throughput",
// "memory", else the unit.
std::string metric_of_unit(const std::string& unit);

// ISO 8601 ("2026-11-30T21:24:03+00:00", blanks, fractions and a missing zone = UTC allowed) as
// Unix time in ms; nothing for anything else.
std::optional<std::int64_t> time_of_iso(std::string_view text);

// The series of a file, found or made by build, id and metric.
class SeriesTable {
 public:
  explicit SeriesTable(File& file) : file_(file) {}
  // Valid until the next call. Beyond kMostSeries: the last one again, and too_many() is true.
  Series& at(const std::string& id, const std::string& metric, const std::string& build = {});
  bool too_many() const { return too_many_; }

 private:
  File& file_;
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> places_ = {};
  bool too_many_ = false;
};

// Numbers of an object but those called in `known`, as fields, in their order.
std::vector<Field> other_numbers(const Json& object, std::span<const std::string_view> known = {});
// Members that are text or numbers, as context: {"date": "..."} behind `prefix`.
void add_context(File& file, const Json& object, std::initializer_list<std::string_view> names);

}  // namespace assay::results
