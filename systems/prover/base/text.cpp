// SPDX-License-Identifier: Apache-2.0
#include "prover/base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <vector>

namespace prover {
namespace {

struct Unit {
  std::string_view name;
  double bytes;
};
constexpr Unit kUnits[] = {{"TiB", 0x1p40}, {"GiB", 0x1p30}, {"MiB", 0x1p20},
                           {"KiB", 0x1p10}, {"B", 1},        {"", 1}};
constexpr double kMostBytes = 0x1p50;

template <class T>
bool read_all(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

tl::unexpected<Error> no(std::string what, std::string hint = {}) {
  return fail(ErrorKind::usage, std::move(what), {}, std::move(hint));
}

std::string significant(double value) {
  if (value >= 99.95) return fmt::format("{:.0f}", value);
  return fmt::format("{:.3g}", value);
}

}  // namespace

Result<std::uint64_t> parse_count(std::string_view text, std::uint64_t low, std::uint64_t high) {
  std::uint64_t value = 0;
  if (!read_all(text, value))
    return no(fmt::format("'{}' is no whole number", printable(text)),
              fmt::format("give a number from {} to {}", low, high));
  if (value < low || value > high)
    return no(fmt::format("{} is out of range", value),
              fmt::format("give a number from {} to {}", low, high));
  return value;
}

Result<double> parse_number(std::string_view text, double low, double high) {
  double value = 0;
  if (!read_all(text, value) || !std::isfinite(value))
    return no(fmt::format("'{}' is no number", printable(text)),
              fmt::format("give a number from {} to {}", low, high));
  if (value < low || value > high)
    return no(fmt::format("{} is out of range", value),
              fmt::format("give a number from {} to {}", low, high));
  return value;
}

Result<std::uint64_t> parse_bytes(std::string_view text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string_view unit = text.substr(digits);
  double value = 0;
  if (digits == 0 || !read_all(text.substr(0, digits), value))
    return no(fmt::format("'{}' is no size", printable(text)),
              "write for example 512MiB, 4GiB or 1048576");
  for (const Unit& known : kUnits) {
    if (known.name != unit) continue;
    if (value * known.bytes > kMostBytes)
      return no(fmt::format("{} is too large a size", printable(text)));
    return static_cast<std::uint64_t>(value * known.bytes);
  }
  return no(fmt::format("'{}' is no unit of a size", printable(unit)),
            "sizes are in B, KiB, MiB, GiB or TiB: powers of two, so that nobody has to guess");
}

std::string show_bytes(std::uint64_t bytes) {
  for (const Unit& unit : kUnits)
    if (unit.bytes > 1 && static_cast<double>(bytes) >= unit.bytes)
      return fmt::format("{} {}", significant(static_cast<double>(bytes) / unit.bytes), unit.name);
  return fmt::format("{} B", bytes);
}

std::string show_ms(double milliseconds) {
  if (std::abs(milliseconds) >= 999.5) return fmt::format("{} s", significant(milliseconds / 1e3));
  if (milliseconds == 0 || std::abs(milliseconds) >= 0.9995)
    return fmt::format("{} ms", significant(milliseconds));
  return fmt::format("{} us", significant(milliseconds * 1e3));
}

std::string show_number(double value) { return fmt::format("{}", value); }

std::string printable(std::string_view text) {
  std::string shown;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f)
      shown += c;
    else
      shown += fmt::format("\\x{:02x}", byte);
  }
  return shown;
}

std::string nearest(std::string_view text, std::span<const std::string> candidates) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(1, text.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    std::vector<std::size_t> row(candidate.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < text.size(); ++i) {
      std::size_t diagonal = row[0];
      row[0] = i + 1;
      for (std::size_t j = 0; j < candidate.size(); ++j) {
        const std::size_t replace = diagonal + (text[i] == candidate[j] ? 0 : 1);
        diagonal = row[j + 1];
        row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, replace});
      }
    }
    if (row.back() < best_distance) {
      best_distance = row.back();
      best = candidate;
    }
  }
  return best;
}

}  // namespace prover
