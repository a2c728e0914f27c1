// SPDX-License-Identifier: Apache-2.0
#include "stats/summary.hpp"

#include <cmath>

#include "stats/order.hpp"
#include "stats/sums.hpp"

namespace assay::stats {

std::optional<Summary> summarize(std::span<const double> values, Confidence confidence) {
  if (values.empty()) return std::nullopt;
  const auto ascending = sorted(values);
  Summary summary;
  summary.n = ascending.size();
  summary.min = ascending.front();
  summary.max = ascending.back();
  summary.median = *median_of_sorted(ascending);
  summary.mean = *mean(ascending);
  summary.p90 = *quantile_of_sorted(ascending, 0.90);
  summary.p99 = *quantile_of_sorted(ascending, 0.99);
  if (const auto square = variance(ascending)) summary.deviation = std::sqrt(*square);
  summary.median_interval = median_interval(ascending, confidence);
  return summary;
}

}  // namespace assay::stats
