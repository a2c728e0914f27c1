// SPDX-License-Identifier: Apache-2.0
#include "report/estimates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "report/reproduce.hpp"
#include "report/wording.hpp"

namespace assay::report {

const Metric& deciding_metric(const Plan& plan) {
  const auto found = std::ranges::find_if(plan.metrics, &Metric::gating);
  return found == plan.metrics.end() ? plan.metrics.front() : *found;
}

RatioEstimate ratio_of(const Estimate& estimate, Better better) {
  const auto turned = [&](double log) { return std::exp(better == Better::higher ? -log : log); };
  RatioEstimate ratio{.ratio = turned(estimate.value), .lo = {}, .hi = {}};
  if (estimate.lo) ratio.lo = turned(*estimate.lo);
  if (estimate.hi) ratio.hi = turned(*estimate.hi);
  if (better == Better::higher) std::swap(ratio.lo, ratio.hi);
  return ratio;
}

std::string change_text(const RatioEstimate& ratio) { return format_change(ratio.ratio); }

std::string bounds_text(const RatioEstimate& ratio) {
  return ratio.lo && ratio.hi ? bracket(*ratio.lo, *ratio.hi) : "no bound yet";
}

std::string change_with_bounds(const RatioEstimate& ratio) {
  return change_text(ratio) + " " + bounds_text(ratio);
}

Tone tone_of(const Estimate& estimate, double tolerance) {
  const double edge = std::log1p(tolerance);
  if (!estimate.lo || !estimate.hi) return Tone::open;
  if (*estimate.lo > 0 && estimate.value > edge) return Tone::bad;
  if (*estimate.hi < 0 && estimate.value < -edge) return Tone::good;
  return Tone::neutral;
}

PlotPoint point_of(const std::string& label, const RatioEstimate& ratio, Tone tone) {
  const auto percent = [](double r) { return 100 * (r - 1); };
  PlotPoint point{.label = label, .value = percent(ratio.ratio), .tone = tone};
  if (ratio.lo) point.lo = percent(*ratio.lo);
  if (ratio.hi) point.hi = percent(*ratio.hi);
  return point;
}

IntervalPlot plot_of_changes(IntervalPlot plot, const std::string& against) {
  plot.axis = "change against " + against + ", %";
  constexpr double kFar = 1900;  // %
  if (std::ranges::none_of(plot.points, [](const PlotPoint& p) { return p.value >= kFar; }))
    return plot;
  plot.powers = true;
  plot.axis = "times " + against;
  const auto power = [](double percent) {
    return std::log10(
        std::max(1e-9, 1 + percent / 100));  // a ratio is positive, its bound may be 0
  };
  const auto convert = [&](std::optional<double>& value) {
    if (value) value = power(*value);
  };
  for (PlotPoint& point : plot.points) {
    point.value = power(point.value);
    convert(point.lo);
    convert(point.hi);
  }
  for (auto* across : {&plot.reference, &plot.band_lo, &plot.band_hi}) convert(*across);
  return plot;
}

std::vector<std::string> broken_sentences(const Plan& plan, const Conclusion& conclusion) {
  std::vector<std::string> sentences;
  for (const BrokenArm& broken : conclusion.broken)
    sentences.push_back(
        fmt::format("{} {}", plain(plan.arms[broken.arm].label), plain(broken.why)));
  return sentences;
}

std::string reproduce_line(const Plan& plan) {
  const auto words = reproduce_words(plan);
  return words.empty() ? std::string() : plain(join_command(words));
}

std::string command_title(const Plan& plan) {
  if (!plan.name.empty()) return plain(plan.name);
  const bool has_template = plan.kind == PlanKind::sweep && !plan.id_for_order.empty();
  return plain(
      shorten(has_template ? plan.id_for_order : join_command(plan.arms.front().argv), 100));
}

}  // namespace assay::report
