// SPDX-License-Identifier: Apache-2.0
// One sample of paired differences: Wilcoxon's signed-rank test and the Hodges-Lehmann estimate
// that belongs to it. Exact for differences that are symmetric about their centre; ties are
// conservative. Ref: Hollander, Wolfe and Chicken, Nonparametric Statistical Methods, ch. 3.
#pragma once

#include <optional>
#include <span>

#include "stats/null_distribution.hpp"

namespace assay::stats {

struct SignedRank {
  double estimate = 0;           // median of the Walsh averages (d_i + d_j) / 2, i <= j
  std::optional<double> lo, hi;  // at 1 - level; nothing when n is too small for the level
  double p = 1;                  // two-sided, centre 0
};

// differences  log units (ties are kTie wide), not empty; n (n + 1) / 2 averages are held
// level        in (0, 1): 0.05 gives the 95 % interval
SignedRank signed_rank(std::span<const double> differences, double level);

// The same with signed_rank_count(n) at hand, for many samples of one size.
SignedRank signed_rank(std::span<const double> differences, double level,
                       const NullDistribution& null);

}  // namespace assay::stats
