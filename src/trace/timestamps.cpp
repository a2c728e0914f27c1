// SPDX-License-Identifier: Apache-2.0
#include "trace/timestamps.hpp"

#include <array>
#include <cstring>

namespace assay::trace {
namespace {

constexpr Nanos kSecond = 1'000'000'000;
constexpr std::array<Nanos, 10> kPowers = {
    1, 10, 100, 1'000, 10'000, 100'000, 1'000'000, 10'000'000, 100'000'000, 1'000'000'000};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The number in text[at, at + count), or -1.
int digits(std::string_view text, std::size_t at, std::size_t count) {
  if (at + count > text.size()) return -1;
  int value = 0;
  for (std::size_t i = at; i < at + count; ++i) {
    if (!is_digit(text[i])) return -1;
    value = value * 10 + (text[i] - '0');
  }
  return value;
}

// Days from 1970-01-01 in the proleptic Gregorian calendar; years begin in March so that the leap
// day is the last of its year.
std::int64_t days_since_epoch(int year, int month, int day) {
  const std::int64_t y = year - (month <= 2 ? 1 : 0);
  const std::int64_t era = y / 400;  // years are >= 0 here
  const std::int64_t of_era = y - era * 400;
  const std::int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

int days_in_month(int year, int month) {
  static constexpr std::array<int, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return kDays[static_cast<std::size_t>(month - 1)] + (month == 2 && leap ? 1 : 0);
}

// Fraction digits at `at`: ns, and their count through `at` being moved behind them.
Nanos fraction(std::string_view text, std::size_t& at, Nanos& resolution) {
  Nanos ns = 0;
  std::size_t count = 0;
  for (; at < text.size() && is_digit(text[at]); ++at) {
    if (count < 9) {
      ns = ns * 10 + (text[at] - '0');
      ++count;
    }
  }
  resolution = kPowers[9 - count];
  return ns * resolution;
}

// hh:mm:ss[.fraction] at `at`, which moves behind it.
std::optional<Nanos> time_of_day(std::string_view text, std::size_t& at, Nanos& resolution) {
  const int hour = digits(text, at, 2), minute = digits(text, at + 3, 2),
            second = digits(text, at + 6, 2);
  if (hour < 0 || minute < 0 || second < 0 || text[at + 2] != ':' || text[at + 5] != ':')
    return std::nullopt;
  if (hour > 23 || minute > 59 || second > 60) return std::nullopt;
  at += 8;
  resolution = kSecond;
  Nanos ns = (Nanos{hour} * 3600 + minute * 60 + second) * kSecond;
  if (at + 1 < text.size() && (text[at] == '.' || text[at] == ',') && is_digit(text[at + 1]))
    ns += fraction(text, ++at, resolution);
  return ns;
}

struct Unit {
  std::string_view word;
  Nanos ns;
};
// Longer words before their prefixes.
constexpr std::array<Unit, 12> kUnits = {{{"ns", 1},
                                          {"us", 1'000},
                                          {"\xC2\xB5s", 1'000},  // micro sign
                                          {"\xCE\xBCs", 1'000},  // Greek mu
                                          {"ms", 1'000'000},
                                          {"sec", kSecond},
                                          {"s", kSecond},
                                          {"min", 60 * kSecond},
                                          {"m", 60 * kSecond},
                                          {"hours", 3600 * kSecond},
                                          {"h", 3600 * kSecond},
                                          {"d", 86400 * kSecond}}};

const Unit* unit_at(std::string_view text) {
  for (const Unit& unit : kUnits)
    if (text.starts_with(unit.word)) return &unit;
  return nullptr;
}

bool is_word_char(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// Unix time by its number of digits, or nothing.
std::optional<Stamp> unix_number(std::string_view text) {
  std::size_t count = 0;
  while (count < text.size() && count < 20 && is_digit(text[count])) ++count;
  Nanos unit = 0;
  if (count == 10) unit = kSecond;
  if (count == 13) unit = 1'000'000;
  if (count == 16) unit = 1'000;
  if (count == 19) unit = 1;
  if (unit == 0) return std::nullopt;
  auto stamp = parse_decimal(text, unit);
  if (!stamp || stamp->ns < kUnixFrom) return std::nullopt;
  stamp->absolute = true;
  return stamp;
}

}  // namespace

std::optional<Stamp> parse_decimal(std::string_view text, Nanos unit) {
  std::size_t at = 0;
  const bool negative = !text.empty() && text[0] == '-';
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) ++at;
  const std::size_t first = at;
  std::uint64_t whole = 0;
  for (; at < text.size() && is_digit(text[at]); ++at) {
    if (at - first >= 19) return std::nullopt;
    whole = whole * 10 + static_cast<std::uint64_t>(text[at] - '0');
  }
  if (at == first) return std::nullopt;
  Nanos value = 0;
  if (whole > INT64_MAX || __builtin_mul_overflow(static_cast<Nanos>(whole), unit, &value))
    return std::nullopt;
  Stamp stamp{0, unit};
  if (at + 1 < text.size() && text[at] == '.' && is_digit(text[at + 1])) {
    ++at;
    Nanos part = 0, scale = 1;
    for (; at < text.size() && is_digit(text[at]); ++at) {
      if (unit % (scale * 10) != 0) continue;  // finer than the unit can be divided: below 1 ns
      part = part * 10 + (text[at] - '0');
      scale *= 10;
    }
    stamp.resolution = unit / scale;
    if (__builtin_add_overflow(value, part * stamp.resolution, &value)) return std::nullopt;
  }
  stamp.ns = negative ? -value : value;
  stamp.length = at;
  return stamp;
}

std::optional<Stamp> parse_iso(std::string_view text) {
  if (text.size() < 19 || text[4] != '-' || text[7] != '-' ||
      (text[10] != 'T' && text[10] != ' ' && text[10] != 't'))
    return std::nullopt;
  const int year = digits(text, 0, 4), month = digits(text, 5, 2), day = digits(text, 8, 2);
  if (year < 1700 || year > 2200 || month < 1 || month > 12 || day < 1 ||
      day > days_in_month(year, month))
    return std::nullopt;
  Stamp stamp;
  std::size_t at = 11;
  const auto clock = time_of_day(text, at, stamp.resolution);
  if (!clock) return std::nullopt;
  stamp.ns = days_since_epoch(year, month, day) * 86400 * kSecond + *clock;
  if (at < text.size() && (text[at] == 'Z' || text[at] == 'z')) {
    ++at;
  } else if (at < text.size() && (text[at] == '+' || text[at] == '-')) {
    const bool colon = at + 3 < text.size() && text[at + 3] == ':';
    const int hours = digits(text, at + 1, 2), minutes = digits(text, at + (colon ? 4 : 3), 2);
    if (hours >= 0 && hours <= 18 && minutes >= 0 && minutes < 60) {
      const Nanos zone = (Nanos{hours} * 3600 + minutes * 60) * kSecond;
      stamp.ns -= text[at] == '+' ? zone : -zone;
      at += colon ? 6 : 5;
    }
  }
  stamp.absolute = true;
  stamp.length = at;
  return stamp;
}

std::optional<Stamp> parse_go_duration(std::string_view text) {
  Stamp total{0, 1};
  std::size_t at = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
  bool any = false;
  while (at < text.size() && is_digit(text[at])) {
    std::size_t behind = at;
    while (behind < text.size() && (is_digit(text[behind]) || text[behind] == '.')) ++behind;
    const Unit* unit = unit_at(text.substr(behind));
    if (unit == nullptr) break;
    const auto part = parse_decimal(text.substr(at, behind - at), unit->ns);
    if (!part || at + part->length != behind ||
        __builtin_add_overflow(total.ns, part->ns, &total.ns))
      return std::nullopt;
    total.resolution = part->resolution;
    at = behind + unit->word.size();
    any = true;
  }
  if (!any || (at < text.size() && is_word_char(text[at]))) return std::nullopt;
  if (text[0] == '-') total.ns = -total.ns;
  total.length = at;
  return total;
}

std::optional<Stamp> parse_stamp(std::string_view text) {
  if (text.size() >= 19)
    if (const auto iso = parse_iso(text)) return iso;
  if (const auto number = unix_number(text)) return number;
  if (const auto offset = parse_go_duration(text)) return offset;
  Stamp day;
  std::size_t at = 0;
  if (text.size() >= 8 && text[2] == ':') {
    if (const auto clock = time_of_day(text, at, day.resolution)) {
      day.ns = *clock;
      day.length = at;
      return day;
    }
  }
  if (const auto seconds = parse_decimal(text, kSecond)) {
    const bool ends = seconds->length == text.size() || !is_word_char(text[seconds->length]);
    // A whole number alone may be anything: a process id, a level.
    if (ends && seconds->resolution < kSecond) return seconds;
  }
  return std::nullopt;
}

std::optional<Stamp> line_stamp(std::string_view line) {
  std::size_t at = 0;
  while (at < line.size() && (line[at] == ' ' || line[at] == '\t')) ++at;
  if (at < line.size() && (line[at] == '[' || line[at] == '(')) ++at;
  while (at < line.size() && (line[at] == ' ' || line[at] == '\t')) ++at;
  if (at >= line.size()) return std::nullopt;
  if (is_digit(line[at]) || line[at] == '+') {
    auto stamp = parse_stamp(line.substr(at));
    if (stamp) stamp->length += at;
    return stamp;
  }
  static constexpr std::array<std::string_view, 9> kKeys = {
      "ts=", "time=", "timestamp=", "\"ts\":", "\"time\":", "\"timestamp\":", "\"@timestamp\":",
      "t=",  "\"t\":"};
  const std::string_view front = line.substr(0, 512);
  for (const std::string_view key : kKeys) {
    std::size_t found = front.find(key);
    while (found != std::string_view::npos && key[0] != '"' && found > 0 &&
           (is_word_char(front[found - 1]) || front[found - 1] == '.'))
      found = front.find(key, found + 1);
    if (found == std::string_view::npos) continue;
    std::size_t value = found + key.size();
    while (value < line.size() && (line[value] == ' ' || line[value] == '"')) ++value;
    if (auto stamp = parse_stamp(line.substr(value))) {
      stamp->length += value;
      return stamp;
    }
  }
  return std::nullopt;
}

}  // namespace assay::trace
