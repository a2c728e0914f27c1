// SPDX-License-Identifier: Apache-2.0
// What a process printed against what it was asked for: every benchmark gets the position of its
// unit, and those that did not come out are named.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/suite.hpp"
#include "model/trial.hpp"
#include "suite/adapter.hpp"

namespace assay::suite {

// `units`: what the process ran, indices into plan.units. Listed ids that did not come out are put
// behind the others, in order: missing; but when the process did not end well, the first one of
// them failed (it died in it, or before). A benchmark of a unit that was not asked for, or that the
// listing does not have, stays, with a message that says so. Two of one unit that is run twice
// belong to the first and the second position.
std::vector<Measurement> reconcile(const SuitePlan& plan, std::span<const std::uint32_t> units,
                                   std::vector<Measurement> measured, const Exit& exit);

}  // namespace assay::suite
