// SPDX-License-Identifier: Apache-2.0
// What the items of one stage did, as sorted columns of times: the form in which levels (how many
// waiting, in service, in flight) are read off. Internal to attribution.
#pragma once

#include <optional>
#include <vector>

#include "attribution/pipeline.hpp"
#include "attribution/times.hpp"

namespace assay::attribution {

// Which visit of each stage an item makes first: [stage][item], kNone = none.
using FirstVisits = std::vector<std::vector<std::uint32_t>>;
FirstVisits first_visits(const Pipeline& pipeline, std::size_t items);

// Each column ascending, one entry a visit of the stage (`arrive` of the first stage: begins).
struct StageTimes {
  std::vector<Nanos> arrive;  // into the queue; else when it left the stage above; else its begin
  std::vector<Nanos> begin, end;
  std::vector<Nanos> leave;     // sent, or queued below, else its end
  bool arrivals_known = false;  // for every visit from the log (the first stage: never)
};
StageTimes stage_times(const Pipeline& pipeline, const FirstVisits& first, std::size_t stage);

// When the item of this visit left the stage: sent, else queued below, else its end.
Nanos leave_of(const Pipeline& pipeline, const FirstVisits& first, std::size_t stage,
               const Visit& visit);
// When it came: queued, else when it left the stage above, else nothing.
std::optional<Nanos> arrive_of(const Pipeline& pipeline, const FirstVisits& first,
                               std::size_t stage, const Visit& visit);

// What bounds a stage, and where that is known from: its servers as declared or found in the log,
// else the most that were in service at once.
struct Bound {
  std::uint64_t count = 0;  // >= 1 when the stage has visits of some length
  std::string from = {};    // "declared", ..., "observed: the most at once"
};
Bound servers_of(const trace::Trace& run, const Pipeline& pipeline, const StageTimes& times,
                 std::size_t stage);

// Stretches of time, for asking how much of them lies in an interval.
class Stretches {
 public:
  void add(Nanos from, Nanos to);  // ascending, disjoint
  Wide within(Nanos from, Nanos to) const;

 private:
  std::vector<Nanos> from_, to_;
  std::vector<Wide> before_;  // total length before each
};

// When no item waited for a server of the stage: nothing was in its queue; of the first stage,
// whose queue no log shows, only from its last begin on.
Stretches without_input(const Pipeline& pipeline, const StageTimes& times, std::size_t stage);

// Server-time of a stage with `servers`, ns: idle without input, and idle with input waiting.
// A server is taken from an item's begin until it left when `held` (its send holds it), else its
// end.
struct Idle {
  Wide starved = 0, other = 0;
};
Idle idle_of(const Pipeline& pipeline, const StageTimes& times, std::size_t stage,
             std::uint64_t servers, bool held);

}  // namespace assay::attribution
