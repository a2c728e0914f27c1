// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "stats/interval.hpp"

namespace assay::stats {

// One side's distribution, in the unit of the values. Quantiles are observed values.
struct Summary {
  std::size_t n = 0;
  double min = 0, median = 0, mean = 0, p90 = 0, p99 = 0, max = 0;
  std::optional<double> deviation;          // standard deviation; nothing below two values
  std::optional<Interval> median_interval;  // nothing when n is too small for the level
};

// Nothing for an empty sample. Values are finite, in any order.
std::optional<Summary> summarize(std::span<const double> values,
                                 Confidence confidence = Confidence(0.99));

}  // namespace assay::stats
