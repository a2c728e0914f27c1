// SPDX-License-Identifier: Apache-2.0
// Phases of a run, the laws that its numbers must obey, and the permits. Internal to attribution.
#pragma once

#include <optional>
#include <vector>

#include "attribution/description.hpp"
#include "attribution/stage_times.hpp"

namespace assay::attribution {

// When the last stage completed its first item, and when the first stage had nothing left to begin
// (never before the former). Nothing without completions.
struct PhaseTimes {
  Phases phases = {};
  Nanos fill_end = 0, drain_begin = 0, last_completion = 0;
};
std::optional<PhaseTimes> phases_of(const Pipeline& pipeline);

// Times between successive completions, seconds; `ends` ascending.
std::vector<double> intervals_between(std::span<const Nanos> ends);

// The laws of one stage. `items`: those that the run has visits of. What is compared comes from
// different records, so that a lost event shows: see docs/attribution.md.
std::vector<LawCheck> laws_of(const trace::Trace& run, const Pipeline& pipeline,
                              const FirstVisits& first, const StageTimes& times, std::size_t stage,
                              std::uint64_t items);

// Nothing where no permits are stated, or the next queue has no stated capacity. An item that the
// next stage never saw counts to the end where `lossless` (no event is known to be lost), else not.
std::optional<PermitCheck> permits_of(const trace::Trace& run, const Pipeline& pipeline,
                                      const FirstVisits& first, std::size_t stage, bool lossless);

}  // namespace assay::attribution
