// SPDX-License-Identifier: Apache-2.0
#include "attribution/trade.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "base/check.hpp"
#include "base/text.hpp"
#include "stats/order.hpp"

namespace assay::attribution {
namespace {

constexpr double kGiB = 1024.0 * 1024 * 1024;
constexpr double kDistances = 4e6;  // from points to tried lines, about

bool dominates(const TradePoint& p, const TradePoint& q) {
  return p.cost_s <= q.cost_s && p.peak_bytes <= q.peak_bytes &&
         (p.cost_s < q.cost_s || p.peak_bytes < q.peak_bytes);
}

// With both intervals: is the better one better for sure, and the other no worse than within them?
bool surely_dominates(const TradePoint& p, const TradePoint& q) {
  const auto bounds = [](const std::optional<TradeBounds>& given, double value) {
    return given.value_or(TradeBounds{value, value});
  };
  const TradeBounds pc = bounds(p.cost_bounds, p.cost_s), qc = bounds(q.cost_bounds, q.cost_s);
  const TradeBounds pm = bounds(p.peak_bounds, p.peak_bytes);
  const TradeBounds qm = bounds(q.peak_bounds, q.peak_bytes);
  const bool cheaper = pc.hi < qc.lo, smaller = pm.hi < qm.lo;
  return (cheaper && pm.hi <= qm.hi) || (smaller && pc.hi <= qc.hi) || (cheaper && smaller);
}

void rank(std::span<const TradePoint> points, Trade& out) {
  // By ascending peak, then cost: a point is dominated when something before it costs no more.
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t l, std::size_t r) {
    if (points[l].peak_bytes != points[r].peak_bytes) {
      return points[l].peak_bytes < points[r].peak_bytes;
    }
    return points[l].cost_s < points[r].cost_s;
  });
  out.ranks.resize(points.size());
  std::optional<std::size_t> cheapest;
  for (const std::size_t i : order) {
    if (cheapest && dominates(points[*cheapest], points[i])) {
      out.ranks[i].dominated_by = *cheapest;
      out.ranks[i].beyond_intervals = surely_dominates(points[*cheapest], points[i]);
      continue;
    }
    if (!cheapest || points[i].cost_s < points[*cheapest].cost_s) cheapest = i;
    out.front.push_back(i);
  }
  for (std::size_t i = 1; i < out.front.size(); ++i) {
    const TradePoint &from = points[out.front[i - 1]], &to = points[out.front[i]];
    if (to.peak_bytes <= from.peak_bytes) continue;  // equal points
    Exchange step;
    step.from = out.front[i - 1];
    step.to = out.front[i];
    step.bytes = to.peak_bytes - from.peak_bytes;
    step.throughput = from.cost_s / to.cost_s;
    step.percent_per_gib = 100 * (step.throughput - 1) / (step.bytes / kGiB);
    out.exchanges.push_back(step);
  }
}

struct Line {
  double base = 0, slope = 0;
};

// Least squares; nothing when all x are one.
std::optional<Line> least_squares(std::span<const double> x, std::span<const double> y,
                                  std::span<const std::size_t> of) {
  const double n = static_cast<double>(of.size());
  double mx = 0, my = 0, xx = 0, xy = 0;
  for (const std::size_t i : of) {
    mx += x[i] / n;
    my += y[i] / n;
  }
  for (const std::size_t i : of) {
    xx += (x[i] - mx) * (x[i] - mx);
    xy += (x[i] - mx) * (y[i] - my);
  }
  if (!(xx > 0)) return std::nullopt;
  return Line{my - xy / xx * mx, xy / xx};
}

// The points nearest to a line.
std::vector<std::size_t> nearest_points(const Line& line, std::span<const double> x,
                                        std::span<const double> y, std::size_t count) {
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto distance = [&](std::size_t i) {
    return std::abs(y[i] - line.base - line.slope * x[i]);
  };
  std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count) - 1,
                   order.end(), [&](std::size_t l, std::size_t r) {
                     return distance(l) != distance(r) ? distance(l) < distance(r) : l < r;
                   });
  order.resize(count);
  return order;
}

// Least trimmed squares: from the line through every pair of points, refit to the nearer half until
// that half stays; the half that fits best wins.
Line trimmed_line(std::span<const double> x, std::span<const double> y) {
  const std::size_t n = x.size(), half = n / 2 + 1;
  Line best;
  double best_sum = std::numeric_limits<double>::infinity();
  // Every pair of up to about 150 points; of more, pairs of an even choice.
  const double points = static_cast<double>(n);
  const auto stride =
      std::max<std::size_t>(1, static_cast<std::size_t>(points * std::sqrt(points / kDistances)));
  for (std::size_t i = 0; i < n; i += stride) {
    for (std::size_t j = i + 1; j < n; j += stride) {
      if (x[i] == x[j]) continue;
      const double slope = (y[j] - y[i]) / (x[j] - x[i]);
      Line line{y[i] - slope * x[i], slope};
      for (int step = 0; step < 3; ++step) {
        const auto refit = least_squares(x, y, nearest_points(line, x, y, half));
        if (!refit) break;
        line = *refit;
      }
      double sum = 0;
      for (const std::size_t p : nearest_points(line, x, y, half)) {
        const double residual = y[p] - line.base - line.slope * x[p];
        sum += residual * residual;
      }
      if (sum < best_sum) {
        best_sum = sum;
        best = line;
      }
    }
  }
  return best;
}

void add_residuals(TradeFit& fit, std::span<const double> x, std::span<const double> y) {
  fit.residuals.clear();
  for (std::size_t i = 0; i < x.size(); ++i) {
    fit.residuals.push_back(y[i] - fit.base_bytes - fit.slope_bytes * x[i]);
  }
}

std::optional<TradeFit> fit_peak(std::span<const TradePoint> points, const std::string& setting,
                                 std::string& why_not) {
  std::vector<double> x, y;
  std::set<double> distinct;
  for (const TradePoint& point : points) {
    const auto value = setting_of(point, setting);
    if (!value) {
      why_not = fmt::format("'{}' has no setting '{}'", point.label, setting);
      return std::nullopt;
    }
    x.push_back(*value);
    y.push_back(point.peak_bytes);
    distinct.insert(*value);
  }
  if (distinct.size() < 3 || points.size() < 4) {
    why_not = fmt::format("a line needs 4 points at 3 values of {}: there are {} at {}", setting,
                          points.size(), distinct.size());
    return std::nullopt;
  }
  TradeFit fit;
  fit.setting = setting;
  const Line first = trimmed_line(x, y);
  fit.base_bytes = first.base;
  fit.slope_bytes = first.slope;
  add_residuals(fit, x, y);
  std::vector<double> sizes;
  for (const double residual : fit.residuals) sizes.push_back(std::abs(residual));
  // Three deviations of the nearer half; never less than 2 % of the typical peak, so that points
  // which agree to the byte do not make outliers of their neighbours.
  fit.tolerance_bytes =
      std::max(3 * 1.4826 * stats::median(sizes).value_or(0), 0.02 * stats::median(y).value_or(0));
  std::vector<std::size_t> near;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (sizes[i] <= fit.tolerance_bytes) near.push_back(i);
  }
  if (const auto refit = least_squares(x, y, near)) {
    fit.base_bytes = refit->base;
    fit.slope_bytes = refit->slope;
    add_residuals(fit, x, y);
  }
  double squares = 0;
  fit.used.assign(x.size(), false);
  for (const std::size_t i : near) {
    fit.used[i] = true;
    squares += fit.residuals[i] * fit.residuals[i];
  }
  fit.residual_bytes =
      std::sqrt(squares / static_cast<double>(std::max<std::size_t>(near.size(), 1)));
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t l, std::size_t r) { return x[l] < x[r]; });
  for (const std::size_t i : order) {
    if (fit.used[i]) continue;
    (fit.residuals[i] > 0 ? fit.above : fit.below).push_back(i);
  }
  return fit;
}

TradeBudget within(std::span<const TradePoint> points, double bytes, const std::string& setting) {
  TradeBudget budget;
  budget.bytes = bytes;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points[i].peak_bytes > bytes) continue;
    if (!budget.fits || points[i].cost_s < points[*budget.fits].cost_s) budget.fits = i;
    const auto value = setting_of(points[i], setting);
    if (!value) continue;
    if (!budget.largest || *value > *setting_of(points[*budget.largest], setting)) {
      budget.largest = i;
    }
  }
  const double least = budget.largest ? *setting_of(points[*budget.largest], setting)
                                      : -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto value = setting_of(points[i], setting);
    if (points[i].peak_bytes <= bytes || !value || *value <= least) continue;
    if (!budget.next || *value < *setting_of(points[*budget.next], setting)) budget.next = i;
  }
  return budget;
}

std::string varying_setting(std::span<const TradePoint> points) {
  if (points.empty()) return {};
  for (const auto& [name, value] : points.front().settings) {
    for (const TradePoint& point : points) {
      if (setting_of(point, name) != value) return name;
    }
  }
  return points.front().settings.empty() ? std::string() : points.front().settings.front().first;
}

}  // namespace

std::optional<double> setting_of(const TradePoint& point, const std::string& name) {
  for (const auto& [each, value] : point.settings) {
    if (each == name) return value;
  }
  return std::nullopt;
}

Trade trade(std::span<const TradePoint> points, const TradeOptions& options) {
  Trade out;
  for (const TradePoint& point : points) {
    ASSAY_CHECK(std::isfinite(point.cost_s) && point.cost_s > 0, "a cost is positive");
    ASSAY_CHECK(std::isfinite(point.peak_bytes) && point.peak_bytes > 0, "a peak is positive");
  }
  rank(points, out);
  const std::string setting = options.setting.empty() ? varying_setting(points) : options.setting;
  if (setting.empty()) {
    out.no_fit_because = "no setting is named";
  } else {
    out.fit = fit_peak(points, setting, out.no_fit_because);
  }
  if (options.budget_bytes) out.budget = within(points, *options.budget_bytes, setting);
  const bool single = std::any_of(points.begin(), points.end(), [](const TradePoint& point) {
    return point.n < 2 || !point.cost_bounds;
  });
  if (single && !points.empty()) {
    out.warnings.push_back(
        "points without intervals: differences of a few percent may be noise; `assay compare` "
        "judges two settings");
  }
  return out;
}

}  // namespace assay::attribution
