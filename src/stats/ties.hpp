// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace assay::stats {

// Log values closer than this are ties: far above rounding, far below any clock (1e-12 of a second
// in a second). All comparisons of the rule use it, so that equal inputs stay equal on every
// machine.
inline constexpr double kTie = 1e-12;

}  // namespace assay::stats
