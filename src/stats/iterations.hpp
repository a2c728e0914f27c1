// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

namespace assay::stats {

// The ONE value of a run that repeats its work inside its process: the median of its iterations, in
// the order they happened, after dropping the first max(1, 10 %) as warm-up. Iterations of one
// process share its layout and its luck and are never pooled over processes: doing so gives 28-56 %
// false alarms at a nominal 1 %. A single iteration is its own summary; nothing for none.
//   {9, 5, 6, 7} -> 6
std::optional<double> iteration_summary(std::span<const double> iterations);

}  // namespace assay::stats
