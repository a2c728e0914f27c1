// SPDX-License-Identifier: Apache-2.0
// Order statistics, exact: what is returned is one of the values (or the mean of the middle two).
// Values are finite, any unit; an empty sample has no order statistics and gives nothing.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace assay::stats {

// Ascending copy.
std::vector<double> sorted(std::span<const double> values);

// The middle value of an ascending sample, or the mean of the middle two.
std::optional<double> median_of_sorted(std::span<const double> ascending);

// The same of any sample, which is reordered (linear time).
std::optional<double> median_in_place(std::span<double> values);
std::optional<double> median(std::span<const double> values);

// The smallest value with at least the fraction q in (0, 1] of the sample at or below it:
// ({1, 2, 3, 4}, 0.5) -> 2, (.., 0.51) -> 3, (.., 1) -> 4.
std::optional<double> quantile_of_sorted(std::span<const double> ascending, double q);

// Median of |x_i - x_j| over all pairs, the spread of a small group: {1, 2, 4} -> 2. Nothing below
// two values. In log units this is the relative spread of the two typical runs.
std::optional<double> median_pair_difference(std::span<const double> values);

// Appends |x_i - x_j| of all pairs of `values` to `out`.
void append_pair_differences(std::span<const double> values, std::vector<double>& out);

}  // namespace assay::stats
