// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

namespace assay::stats {

// A confidence level in (0, 1): 0.95, never 95.
struct Confidence {
  explicit Confidence(double level) : value(level) {}
  double value;
};

struct Interval {
  double lo = 0, hi = 0;  // in the unit of the values
  double achieved = 0;    // confidence level that this interval really has
};

// Distribution-free interval for the median of `ascending`, from binomial order statistics.
//   ascending   independent values, any unit; the interval is in the same unit
//   confidence  asked level; `achieved` in the result is >= it
// Nothing when n is too small for the level (n < 6 at 0.95). Exact for every n; assumes no shape.
// Ref: Conover, Practical Nonparametric Statistics, ch. 3 (quantile intervals).
std::optional<Interval> median_interval(std::span<const double> ascending, Confidence confidence);

}  // namespace assay::stats
