// SPDX-License-Identifier: Apache-2.0
// How a stage's times changed: all of them (SHIFT), the slow ones alone (TAIL), a new group (MODE),
// or not (SAME). A description of the two samples, not a verdict.
#pragma once

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

}  // namespace assay::attribution
