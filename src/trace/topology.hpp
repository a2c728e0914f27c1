// SPDX-License-Identifier: Apache-2.0
// Topology is in no log: the rules state it, or leave it to the log's own settings. Also the
// sentences for what was lost.
#pragma once

#include "trace/events.hpp"
#include "trace/rules.hpp"

namespace assay::trace {

// Lays the stages of `rules` over the run: edges, servers, capacity, permits, parents, kinds. What
// the run's stage had before is replaced where the rules say something. Warns (topology): a stage
// that does not occur in the run (with the nearest), a setting that was not echoed or is no number,
// count(worker) of a stage without workers. Checks rules.expect against the items.
void lay_topology(Trace& trace, const Rules& rules);

// A bound that the log has to give: nothing when it does not.
std::optional<std::uint64_t> resolve(const Trace& trace, std::uint32_t stage, const Bound& bound);

// A warning for every kind of loss that none of the trace's warnings speaks of yet, for settings
// that changed within the run and for an empty run.
void warn_of_losses(Trace& trace);

}  // namespace assay::trace
