// SPDX-License-Identifier: Apache-2.0
// Deterministic counters (instructions under callgrind): two runs a side that agree are the whole
// distribution, and the ratio is known exactly (rule.md section 4).
#pragma once

#include <optional>
#include <span>

#include "verdict/pair_test.hpp"

namespace assay::verdict {

inline constexpr double kExactTolerance = 0.001;
inline constexpr std::size_t kExactRuns = 2;  // per side

// The verdict on counts that do not vary: a zero-width interval, no error rate, p_seq 1 (it stays
// out of the family). Nothing when a side has fewer than two runs or varies: then the standard rule
// from n = 6 is the one to use. INVALID for a value that is not positive.
std::optional<Decision> exact_verdict(std::span<const double> a, std::span<const double> b,
                                      double tolerance = kExactTolerance);

}  // namespace assay::verdict
