// SPDX-License-Identifier: Apache-2.0
// Calibration: how much do identical programs that are laid out differently seem to differ here?
// More runs do not average it away, so it widens every interval afterwards (rule.md section 5).
#pragma once

#include <span>
#include <vector>

#include "base/result.hpp"

namespace assay::verdict {

// One comparison of A against a copy of A; blocks as in decide(), 36 runs a side or more, no
// stopping.
struct Calibration {
  std::vector<double> a, b;
};

struct FloorEstimate {
  double sys_sigma = 0;   // log units, between comparisons, beyond what run noise explains
  int sys_k = 0;          // comparisons = degrees of freedom
  double pair_sigma = 0;  // log units; robust SD of one run pair (median over the comparisons)
  double mdt_198 = 0;     // smallest tolerance that run noise lets be EQUIVALENT at 198 runs a side
};

inline constexpr std::size_t kMinCalibrations = 5;

// sys_sigma^2 = max(0, mean e^2 - mean se^2) with se = (hi95 - lo95) / (2 * 2.7762). An Error for
// fewer than five comparisons, fewer than twelve runs a side in one of them, or a value that is not
// positive.
Result<FloorEstimate> estimate_floor(std::span<const Calibration> comparisons);

}  // namespace assay::verdict
