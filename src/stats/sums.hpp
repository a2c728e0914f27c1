// SPDX-License-Identifier: Apache-2.0
// Sums that do not lose the small terms (Neumaier's compensation) and the moments made from them.
// Ref: Neumaier, ZAMM 54, 1974.
#pragma once

#include <optional>
#include <span>

namespace assay::stats {

// {1, 1e100, 1, -1e100} -> 2.
double sum(std::span<const double> values);

// Nothing for an empty sample.
std::optional<double> mean(std::span<const double> values);

// Two passes, divisor n - 1; nothing below two values.
std::optional<double> variance(std::span<const double> values);

}  // namespace assay::stats
