// SPDX-License-Identifier: Apache-2.0
// Which stage binds, how far the next is behind, and whether that changes over the run. Internal to
// attribution.
#pragma once

#include <vector>

#include "attribution/checks.hpp"

namespace assay::attribution {

// What is known of one stage, in pipeline order.
struct StageLoad {
  std::string name = {};
  double servers = 0;      // stated, or the most at once
  double utilisation = 0;  // busy / (servers x makespan)
  double blocked = 0;      // share of the servers' time in which they held a finished item
  double starved = 0;      // share of it in which they had no input
};

// Nothing without a stage that worked. `phases` says which windows count for `moves`.
std::optional<Bottleneck> bottleneck_of(const Pipeline& pipeline,
                                        const std::vector<StageLoad>& loads,
                                        const std::optional<PhaseTimes>& phases);

}  // namespace assay::attribution
