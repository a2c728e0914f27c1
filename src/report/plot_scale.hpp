// SPDX-License-Identifier: Apache-2.0
// The axis of a plot: its ends and the round numbers on it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace assay::report {

struct Scale {
  double lo = 0, hi = 1;           // lo < hi, both finite
  std::vector<double> ticks = {};  // ascending, inside
  double step = 1;                 // between ticks
  bool powers = false;             // values are powers of ten, and ticks say 10^value

  // Where a value lies: 0 at `lo`, 1 at `hi`; values outside are put on the ends.
  double place(double value) const;
  // "0", "2.5", "-0.02": as many decimals as the step needs.
  std::string text(double tick) const;
};

// An axis that holds all finite `values` with a little room, with about `ticks` >= 1 round numbers
// (1, 2 or 5 times a power of ten apart; whole ones with `powers`). Without values it is 0 to 1.
Scale make_scale(std::span<const double> values, std::size_t ticks, bool powers = false);

}  // namespace assay::report
