// SPDX-License-Identifier: Apache-2.0
// What a reader must know beside the verdict: doubts about the data, found after the fact. A
// warning never changes a verdict.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "experiment/blocks.hpp"
#include "model/record.hpp"

namespace assay::experiment {

// Warnings about the trials among `entries`: outputs that differ between the sides, torn logs, runs
// shorter than 5 ms, drift, position effects, two modes, outliers, contention, tails, re-runs.
std::vector<Warning> warnings_of(const Plan& plan, std::span<const Entry> entries,
                                 std::span<const MetricFinding> findings);

// The conclusion of an experiment without findings: how it ended, its failure if any, its warnings.
Conclusion plain_conclusion(const Plan& plan, std::span<const Entry> entries, const Blocks& blocks,
                            std::optional<EndedBy> ended_by);

}  // namespace assay::experiment
