// SPDX-License-Identifier: Apache-2.0
#include "report/numbers.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/text.hpp"

namespace assay::report {
namespace {

constexpr double kGroupFrom = 999.5;     // s: whole seconds, with commas
constexpr double kHoursFrom = 100'000;   // s: nobody counts them any more
constexpr double kLeastShown = 0.0005;   // half of the last digit of "0.1 %"
constexpr double kOneDecimal = 0.09995;  // of a share

}  // namespace

std::string grouped(double whole) {
  std::string digits = fmt::format("{:.0f}", std::fabs(whole));
  const bool is_zero = digits == "0";
  for (std::size_t left = digits.size(); left > 3; left -= 3) digits.insert(left - 3, ",");
  return whole < 0 && !is_zero ? "-" + digits : digits;
}

std::string seconds_text(double seconds) {
  const double size = std::fabs(seconds);
  if (size >= kHoursFrom) return (seconds < 0 ? "-" : "") + format_duration(size);
  if (size >= kGroupFrom) return grouped(seconds) + " s";
  if (size >= 600) return fmt::format("{:.0f} s", seconds);
  return size < 1e-12 ? "0 s" : format_seconds(seconds);
}

std::string share_text(double share) {
  const double size = std::fabs(share);
  if (size == 0) return "0 %";
  if (size < kLeastShown) return "0.0 %";
  return fmt::format("{:.{}f} %", share * 100, size < kOneDecimal ? 1 : 0);
}

SecondsScale scale_for(double largest) {
  struct Unit {
    double seconds;
    std::string_view name;
  };
  static constexpr Unit kUnits[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}};
  const double size = std::fabs(largest);
  if (size == 0 || !std::isfinite(size)) return {};
  const Unit* unit = &kUnits[3];
  for (const Unit& candidate : kUnits) {
    if (size < candidate.seconds * 0.9995) continue;
    unit = &candidate;
    break;
  }
  const double value = size / unit->seconds;
  return {unit->seconds, unit->name, value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2};
}

std::string signed_number(double seconds, const SecondsScale& scale) {
  const double value = seconds / scale.unit;
  const double half = 0.5 * std::pow(10.0, -scale.decimals);
  if (std::fabs(value) < half) return "0";
  if (std::fabs(value) >= kGroupFrom) return (value > 0 ? "+" : "") + grouped(value);
  return fmt::format("{:+.{}f}", value, scale.decimals);
}

std::string signed_seconds(double seconds, const SecondsScale& scale) {
  return fmt::format("{} {}", signed_number(seconds, scale), scale.name);
}

}  // namespace assay::report
