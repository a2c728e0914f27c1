// SPDX-License-Identifier: Apache-2.0
// Does one side have more slow runs? The verdict speaks of the typical run; a candidate that is
// slow in one run of ten has the same median. A run is slow beyond 1.2 times its block's median;
// given t slow ones in a block, the number that are B is hypergeometric under random labels.
#pragma once

#include <optional>
#include <span>

namespace assay::verdict {

inline constexpr double kTailAlarm = 3.29;  // |z| from here on raises the TAIL warning (p = .001)

class TailCount {
 public:
  // Six runs of either side, values > 0, base units.
  void add_block(std::span<const double> a, std::span<const double> b);
  // Positive: B has more slow runs. Nothing while fewer than 8 slow runs were seen.
  std::optional<double> z() const;

 private:
  double excess_ = 0;    // sum of t_B - t / 2
  double variance_ = 0;  // sum of t (12 - t) / 44
  double slow_ = 0;      // sum of t
};

}  // namespace assay::verdict
