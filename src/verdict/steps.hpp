// SPDX-License-Identifier: Apache-2.0
// At which of many ordered subjects does a value change? Every round ran all of them once in random
// order, so inside a round ranks are exchangeable wherever nothing changes (rule.md section 6). The
// subjects are cut where a stretch of them stands out against the rest, and the parts are cut
// again: a change that the next subject takes back is a stretch of one, which a single step would
// not see. Ref: Olshen and Venkatraman 2004 (circular binary segmentation), here on ranks within
// rounds.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "model/findings.hpp"

namespace assay::verdict {

struct StepChange {
  std::size_t at = 0;    // the first subject behind it
  Estimate effect = {};  // the part behind against the part in front, log units, 95 %
};

// logs  row-major, rounds x subjects, log units; rounds >= 12 or nothing is found
// The chance of any change among subjects that are alike is at most `level`; each further part that
// is cut takes `level` again. Changes whose estimate is below the tolerance are left out.
std::vector<StepChange> find_steps(std::span<const double> logs, std::size_t subjects,
                                   double tolerance = 0.02, double level = 0.01);

}  // namespace assay::verdict
