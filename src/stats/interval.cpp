// SPDX-License-Identifier: Apache-2.0
#include "stats/interval.hpp"

#include "base/check.hpp"
#include "stats/distributions.hpp"

namespace assay::stats {

std::optional<Interval> median_interval(std::span<const double> ascending, Confidence confidence) {
  ASSAY_CHECK(confidence.value > 0 && confidence.value < 1, "a confidence level inside (0, 1)");
  const std::size_t n = ascending.size();
  if (n < 2) return std::nullopt;
  const double tail = 0.5 * (1 - confidence.value) * (1 + 1e-12);
  // The interval [x_(k), x_(n+1-k)] misses the median with 2 P(heads <= k - 1); the largest k is
  // wanted.
  if (fair_coin_cdf(0, n) > tail) return std::nullopt;
  std::size_t good = 1, bad = n / 2 + 1;  // k = n/2 + 1 would cross over
  while (bad - good > 1) {
    const std::size_t k = good + (bad - good) / 2;
    (fair_coin_cdf(k - 1, n) <= tail ? good : bad) = k;
  }
  return Interval{ascending[good - 1], ascending[n - good], 1 - 2 * fair_coin_cdf(good - 1, n)};
}

}  // namespace assay::stats
