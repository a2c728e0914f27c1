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
// behind the others, in order, and so is the name of a unit that lists none and gave nothing:
// missing; but when the process did not end well, the first one of them failed (it died in it, or
// before). A benchmark that the listing does not have belongs to the unit that the tool tells, else
// to one that its name begins with, else to that of the benchmark in front of it. One that should
// not be there stays, with a message that says why. Two of one unit that is run twice belong to the
// first and the second position.
std::vector<Measurement> reconcile(const SuitePlan& plan, std::span<const std::uint32_t> units,
                                   Reading reading, const Exit& exit);

}  // namespace assay::suite
