// SPDX-License-Identifier: Apache-2.0
// The slow items of two sides, split by where they spent their time. Never by subtracting the p99
// of stages: those are of different items, and do not add up.
#pragma once

#include <span>
#include <vector>

#include "attribution/delta.hpp"

namespace assay::attribution {

// One row set for all items, and one for each class of items where there are several. Runs of a
// side are pooled. Only items that both sides have in kind: a label that one side lacks is left
// out.
std::vector<TailDelta> tail_deltas(std::span<const trace::Trace* const> a,
                                   std::span<const trace::Trace* const> b);

}  // namespace assay::attribution
