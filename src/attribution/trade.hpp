// SPDX-License-Identifier: Apache-2.0
// Memory against throughput: settings of one program, each measured in seconds per item and in peak
// memory. Which settings no other beats, what a GiB buys, what a budget allows, and how the peak
// grows with a setting.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace assay::attribution {

struct TradeBounds {
  double lo = 0, hi = 0;
  bool operator==(const TradeBounds&) const = default;
};

struct TradePoint {
  std::string label = {};  // "pw=12 gw=2"
  double cost_s = 0;       // seconds per item; lower is better
  double peak_bytes = 0;   // lower is better
  std::optional<TradeBounds> cost_bounds = {}, peak_bounds = {};  // 99 %
  std::uint64_t n = 1;                                            // runs behind it
  std::vector<std::pair<std::string, double>> settings = {};      // "pw" -> 12
};

// A point is dominated when another costs no more and peaks no higher, and is better in one of the
// two. `dominated_by` is the cheapest of those. `beyond_intervals`: the intervals of both, where
// both have them, do not overlap in what is better and are not worse in the other.
struct TradeRank {
  std::optional<std::size_t> dominated_by = {};
  bool beyond_intervals = false;
};

// From one point of the front to the next in ascending memory.
struct Exchange {
  std::size_t from = 0, to = 0;
  double bytes = 0;            // more
  double throughput = 0;       // ratio of items per second, > 1
  double percent_per_gib = 0;  // 100 (throughput - 1) / GiB
};

// peak = base + slope x setting, by least trimmed squares: the line that the closest half of the
// points agrees on, then least squares over the points near it. Points far from it are named, never
// averaged in.
struct TradeFit {
  std::string setting = {};
  double base_bytes = 0, slope_bytes = 0;
  double residual_bytes = 0;              // root mean square of the points used
  double tolerance_bytes = 0;             // how near a point must be to be used
  std::vector<double> residuals;          // by point: measured less line
  std::vector<bool> used;                 // by point
  std::vector<std::size_t> above, below;  // points beyond the tolerance, by ascending setting
  // Ref: Rousseeuw, Least Median of Squares Regression, 1984.
};

struct TradeBudget {
  double bytes = 0;
  std::optional<std::size_t> fits;     // the cheapest point whose peak fits
  std::optional<std::size_t> largest;  // the point with the largest setting that fits
  std::optional<std::size_t> next;     // the point with the next larger setting, which does not
};

struct Trade {
  std::vector<TradeRank> ranks = {};     // by point
  std::vector<std::size_t> front = {};   // ascending peak; equal points all stand on it
  std::vector<Exchange> exchanges = {};  // between neighbours on the front
  std::optional<TradeFit> fit = {};
  std::string no_fit_because = {};
  std::optional<TradeBudget> budget = {};
  std::vector<std::string> warnings = {};
};

struct TradeOptions {
  std::string setting = {};  // of the fit; empty = the first that varies
  std::optional<double> budget_bytes = {};
};

// Points with finite, positive cost and peak, of one table: other work is another table.
Trade trade(std::span<const TradePoint> points, const TradeOptions& options);

// The value of a setting of a point.
std::optional<double> setting_of(const TradePoint& point, const std::string& name);

}  // namespace assay::attribution
