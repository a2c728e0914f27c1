// SPDX-License-Identifier: Apache-2.0
// How a stage's times changed: all of them (SHIFT), the slow ones alone (TAIL), a new group (MODE),
// or not (SAME). A description of the two samples, not a verdict.
#pragma once

#include <optional>
#include <string>

#include "attribution/delta.hpp"

namespace assay::attribution {

struct ShapeFound {
  Shape shape = Shape::same;
  std::string sentence = {};  // "all of them slower by about 9 %"
};
// Reads the quantile curves. Below 30 values a side there is no MODE, below 50 no TAIL; an empty
// side gives SAME and says so.
ShapeFound shape_of(const Distribution& a, const Distribution& b);

// The same beside an interval of the mean's change, so that the two agree:
//   the interval excludes 0, and the change is a percent of A's mean at least: never SAME; where no
//       other word fits, SHIFT "in the mean"
//   it contains 0: only what n allows to be called different (MODE and SHIFT: Kolmogorov-Smirnov at
//       99 %; TAIL: its own standard errors)
//   no interval: shape_of(a, b)
struct MeanChange {
  double delta_s = 0;
  std::optional<double> lo_s = {}, hi_s = {};
};
ShapeFound shape_of(const Distribution& a, const Distribution& b, const MeanChange& mean);

}  // namespace assay::attribution
