// SPDX-License-Identifier: Apache-2.0
#include "stats/signed_rank.hpp"

#include <algorithm>
#include <vector>

#include "base/check.hpp"
#include "stats/order.hpp"
#include "stats/ties.hpp"

namespace assay::stats {

SignedRank signed_rank(std::span<const double> differences, double level) {
  return signed_rank(differences, level, signed_rank_count(differences.size()));
}

SignedRank signed_rank(std::span<const double> differences, double level,
                       const NullDistribution& null) {
  const std::size_t n = differences.size();
  const std::size_t total = n * (n + 1) / 2;
  ASSAY_CHECK(n >= 1 && null.size() == total + 1, "the null distribution of this sample size");
  std::vector<double> averages;
  averages.reserve(total);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i; j < n; ++j) averages.push_back(0.5 * (differences[i] + differences[j]));
  std::sort(averages.begin(), averages.end());

  SignedRank result;
  result.estimate = *median_of_sorted(averages);
  const auto not_above = std::upper_bound(averages.begin(), averages.end(), kTie);
  const auto not_below = std::lower_bound(averages.begin(), averages.end(), -kTie);
  result.p = null.two_sided_p(static_cast<std::size_t>(not_above - averages.begin()),
                              static_cast<std::size_t>(averages.end() - not_below));
  const int c = null.critical(level);
  if (c >= 0) {
    result.lo = averages[static_cast<std::size_t>(c)];
    result.hi = averages[total - 1 - static_cast<std::size_t>(c)];
  }
  return result;
}

}  // namespace assay::stats
