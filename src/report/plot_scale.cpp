// SPDX-License-Identifier: Apache-2.0
#include "report/plot_scale.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace assay::report {
namespace {

constexpr double kRoom = 0.04;      // of the span, on both sides
constexpr double kLargest = 1e100;  // so that spans stay finite
constexpr std::size_t kMostTicks = 64;

double round_step(double rough) {
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  const double part = rough / power;
  return power * (part < 1.41 ? 1 : part < 3.16 ? 2 : part < 7.07 ? 5 : 10);
}

}  // namespace

double Scale::place(double value) const {
  if (std::isnan(value)) return 0;
  return std::clamp((value - lo) / (hi - lo), 0.0, 1.0);
}

std::string Scale::text(double tick) const {
  if (powers) return fmt::format("{:.6g}", std::pow(10.0, std::round(tick)));
  const double size = std::max(std::fabs(lo), std::fabs(hi));
  if (std::fabs(tick) < step / 2) return "0";
  if (size >= 1e6 || step < 1e-5) return fmt::format("{:.4g}", tick);
  const int decimals = std::max(0, static_cast<int>(-std::floor(std::log10(step * 1.0001))));
  return fmt::format("{:.{}f}", tick, decimals);
}

Scale make_scale(std::span<const double> values, std::size_t ticks, bool powers) {
  Scale scale{.lo = kLargest, .hi = -kLargest, .powers = powers};
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    scale.lo = std::min(scale.lo, std::max(value, -kLargest));
    scale.hi = std::max(scale.hi, std::min(value, kLargest));
  }
  if (scale.lo > scale.hi) scale.lo = 0, scale.hi = 1;
  const double size = std::max(std::fabs(scale.lo), std::fabs(scale.hi));
  double span = scale.hi - scale.lo;
  if (span <= size * 1e-12) {  // one value: some room around it
    span = size > 1e-100 ? size * 0.1 : 1;
    scale.lo -= span / 2;
    scale.hi += span / 2;
  }
  scale.lo -= kRoom * span;
  scale.hi += kRoom * span;
  scale.step =
      round_step((scale.hi - scale.lo) / static_cast<double>(std::max<std::size_t>(1, ticks)));
  if (powers) scale.step = std::max(1.0, scale.step);
  const double first = std::ceil(scale.lo / scale.step);
  for (std::size_t i = 0; i < kMostTicks; ++i) {
    const double tick = (first + static_cast<double>(i)) * scale.step;
    if (tick > scale.hi) break;
    scale.ticks.push_back(tick);
  }
  return scale;
}

}  // namespace assay::report
