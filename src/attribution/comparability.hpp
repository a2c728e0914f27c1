// SPDX-License-Identifier: Apache-2.0
// Before any delta: are the two sides the same pipeline under the same conditions? What differs is
// listed; what forbids an attribution is little: nothing in common, or events that were lost.
#pragma once

#include <span>

#include "attribution/delta.hpp"
#include "attribution/pipeline.hpp"

namespace assay::attribution {

// Runs of each side, one at least. Topology and items are compared between the first run of each;
// settings and losses over all runs, and a setting that varies within a side is a difference too.
//   pipeline_a, _b   of the first runs; null where a run is no pipeline
Comparability compare_sides(std::span<const trace::Trace* const> a,
                            std::span<const trace::Trace* const> b, const Pipeline* pipeline_a,
                            const Pipeline* pipeline_b);

// Records of begins or ends that this run lost, by the importer's own count and the program's word.
std::uint64_t events_lost(const trace::Trace& run);

}  // namespace assay::attribution
