// SPDX-License-Identifier: Apache-2.0
// What the units of a suite keep and need: from what the benchmarks report of their runtime (heap
// after a collection, where there is one), and from the peaks of processes.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "model/audit_findings.hpp"
#include "model/plan.hpp"
#include "model/trial.hpp"

namespace assay::experiment {

// Peak memory of a run in bytes, by the best method that it has: the cgroup's, the largest
// process's, the sampled tree's.
std::optional<double> peak_of(const Plan& plan, const Trial& trial);

// Units in the suite's order. alone: runs of one unit; suite: runs of the whole suite in its own
// order. With a budget: the unit with which the suite crosses it, and those that fill most of it in
// front; `crosses_at` = the unit, where runs of a part found it (nothing = by what is reported).
std::vector<UnitMemory> unit_memory(const Plan& plan, std::span<const Trial* const> alone,
                                    std::span<const Trial* const> suite,
                                    std::optional<std::uint32_t> crosses_at);

}  // namespace assay::experiment
