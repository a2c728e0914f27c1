// SPDX-License-Identifier: Apache-2.0
// The makespan's difference between two sides in parts: replay both, check the replay against the
// logs, then Shapley values of the factors in which they differ, with intervals.
#pragma once

#include <span>
#include <string>

#include "attribution/delta.hpp"
#include "attribution/replay.hpp"

namespace assay::attribution {

// Models of each side's runs, one at least. parts + remainder = delta, always.
//   one run a side      moving-block bootstrap over items: the intervals say "within this run"
//   several             every run of A with every run of B (or an even choice of pairs, when there
//                       are many); parts are means over the pairs, intervals are over runs
// Refused, with the reason and the model errors: the replay misses a measured makespan by more than
// half of the delta; the sides have other stages.
// Bounded work: about 2e8 replayed services; fewer resamples or pairs are taken for long runs, and
// a note says so.
Attribution attribute(std::span<const RunModel> a, std::span<const RunModel> b,
                      const DeltaOptions& options);

// An attribution that was not made, and why.
Attribution refuse(double delta_s, std::string because);

}  // namespace assay::attribution
