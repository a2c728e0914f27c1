// SPDX-License-Identifier: Apache-2.0
#include "results/reading.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>

#include "base/text.hpp"

namespace assay::results {
namespace {

struct UnitRow {
  std::string_view name;
  double factor;
};

constexpr std::array<UnitRow, 26> kTimeUnits = {{
    {"ns", 1e-9},
    {"us", 1e-6},
    {"\xC2\xB5s", 1e-6},
    {"\xCE\xBCs", 1e-6},
    {"ms", 1e-3},
    {"s", 1},
    {"ps", 1e-12},
    {"min", 60},
    {"m", 60},
    {"h", 3600},
    {"hr", 3600},
    {"day", 86400},
    {"sec", 1},
    {"second", 1},
    {"seconds", 1},
    {"nanosecond", 1e-9},
    {"nanoseconds", 1e-9},
    {"microsecond", 1e-6},
    {"microseconds", 1e-6},
    {"millisecond", 1e-3},
    {"milliseconds", 1e-3},
    {"nsec", 1e-9},
    {"usec", 1e-6},
    {"msec", 1e-3},
    {"minutes", 60},
    {"hours", 3600},
}};

constexpr std::array<UnitRow, 14> kByteUnits = {{
    {"B", 1},
    {"byte", 1},
    {"bytes", 1},
    {"KB", 1e3},
    {"kB", 1e3},
    {"MB", 1e6},
    {"GB", 1e9},
    {"KiB", 1024.},
    {"MiB", 1048576.},
    {"GiB", 1073741824.},
    {"kilobytes", 1e3},
    {"megabytes", 1e6},
    {"Kb", 1e3},
    {"TB", 1e12},
}};

template <std::size_t N>
std::optional<double> factor_of(const std::array<UnitRow, N>& rows, std::string_view unit) {
  for (const UnitRow& row : rows)
    if (row.name == unit) return row.factor;
  return std::nullopt;
}

bool is_operation(std::string_view word) {
  constexpr std::array<std::string_view, 8> kWords = {"op",  "ops",  "iter", "iteration",
                                                      "run", "call", "unit", "item"};
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

// Digits of a fixed width at the front, taken off.
std::optional<int> take_digits(std::string_view& text, std::size_t width) {
  int value = 0;
  if (text.size() < width) return std::nullopt;
  const auto [end, status] = std::from_chars(text.data(), text.data() + width, value);
  if (status != std::errc() || end != text.data() + width || text[0] == '-') return std::nullopt;
  text.remove_prefix(width);
  return value;
}

bool take(std::string_view& text, std::string_view any_of) {
  if (text.empty() || any_of.find(text[0]) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

// What stands behind seconds: a fraction, and a zone in minutes.
std::optional<std::pair<int, int>> fraction_and_zone(std::string_view text) {
  int ms = 0;
  if (take(text, ".,")) {
    for (int scale = 100; !text.empty() && text[0] >= '0' && text[0] <= '9'; scale /= 10) {
      ms += scale * (text[0] - '0');
      text.remove_prefix(1);
    }
  }
  if (take(text, " ")) {
  }
  if (text.empty() || text == "Z" || text == "UTC") return {{ms, 0}};
  const int sign = text[0] == '-' ? -1 : 1;
  if (!take(text, "+-")) return std::nullopt;
  const auto hours = take_digits(text, 2);
  take(text, ":");
  const auto minutes = text.empty() ? std::optional(0) : take_digits(text, 2);
  if (!hours || !minutes || !text.empty()) return std::nullopt;
  return {{ms, sign * (*hours * 60 + *minutes)}};
}

}  // namespace

Error wrong_member(const std::string& name, const std::string& path, const std::string& what) {
  return {path + ": " + what, name, {}};
}

std::string at_line(const std::string& name, std::size_t line) {
  return fmt::format("{}:{}", name, line);
}

std::optional<double> seconds_per(std::string_view unit) { return factor_of(kTimeUnits, unit); }

BaseUnit base_unit(std::string_view unit) {
  if (const auto seconds = seconds_per(unit)) return {"s", *seconds, Direction::lower};
  if (const auto bytes = factor_of(kByteUnits, unit)) return {"B", *bytes, Direction::lower};
  const std::size_t slash = unit.find('/');
  if (slash != std::string_view::npos) {
    const std::string_view above = unit.substr(0, slash), below = unit.substr(slash + 1);
    const auto seconds = seconds_per(below);
    if (const auto bytes = factor_of(kByteUnits, above); bytes && seconds)
      return {"B/s", *bytes / *seconds, Direction::higher};
    if (seconds && is_operation(above)) return {"1/s", 1 / *seconds, Direction::higher};
    if (seconds) return {std::string(above) + "/s", 1 / *seconds, Direction::higher};
    if (is_operation(below)) {
      const BaseUnit inner = base_unit(above);
      if (inner.unit == "s" || inner.unit == "B") return inner;
    }
  }
  return {std::string(unit), 1, Direction::lower};
}

std::string metric_of_unit(const std::string& unit) {
  if (unit == "s") return "time";
  if (unit == "B") return "memory";
  if (unit == "1/s" || unit == "B/s") return "throughput";
  return unit.empty() ? "value" : unit;
}

std::optional<std::int64_t> time_of_iso(std::string_view text) {
  using namespace std::chrono;
  const auto year = take_digits(text, 4);
  if (!year || !take(text, "-/")) return std::nullopt;
  const auto month = take_digits(text, 2);
  if (!month || !take(text, "-/")) return std::nullopt;
  const auto day = take_digits(text, 2);
  if (!day || !take(text, "T ")) return std::nullopt;
  const auto hour = take_digits(text, 2);
  if (!hour || !take(text, ":")) return std::nullopt;
  const auto minute = take_digits(text, 2);
  if (!minute || !take(text, ":")) return std::nullopt;
  const auto second = take_digits(text, 2);
  const auto rest = second ? fraction_and_zone(text) : std::nullopt;
  const year_month_day date{std::chrono::year(*year), std::chrono::month(unsigned(*month)),
                            std::chrono::day(unsigned(*day))};
  if (!rest || !date.ok() || *hour > 24 || *minute > 59 || *second > 60) return std::nullopt;
  const auto instant = sys_days(date) + hours(*hour) + minutes(*minute) + seconds(*second) +
                       milliseconds(rest->first) - minutes(rest->second);
  return duration_cast<milliseconds>(instant.time_since_epoch()).count();
}

Series& SeriesTable::at(const std::string& id, const std::string& metric,
                        const std::string& build) {
  const auto [found, is_new] = places_.try_emplace({build, id, metric}, file_.series.size());
  if (!is_new) return file_.series[found->second];
  if (file_.series.size() >= kMostSeries) {
    too_many_ = true;
    places_.erase(found);
    return file_.series.back();
  }
  Series& series = file_.series.emplace_back();
  series.build = build;
  series.id = id;
  series.metric = metric;
  return series;
}

std::vector<Field> other_numbers(const Json& object, std::span<const std::string_view> known) {
  std::vector<Field> fields;
  for (const auto& [name, value] : object.members()) {
    const auto number = value.to_double();
    if (!number || std::find(known.begin(), known.end(), name) != known.end()) continue;
    fields.push_back({name, *number});
  }
  return fields;
}

void add_context(File& file, const Json& object, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    const Json* value = object.find(name);
    if (value == nullptr || value->is_null()) continue;
    file.context.emplace_back(name, value->to_string() ? *value->to_string() : value->dump());
  }
}

}  // namespace assay::results
