// SPDX-License-Identifier: Apache-2.0
// Inside of model_of(): the visits as a table, and what the machine took between them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "attribution/pipeline.hpp"
#include "attribution/replay.hpp"

namespace assay::attribution {

// A visit of every stage by every item, rows in the order of entry: at(s, row).
struct VisitTable {
  std::size_t rows = 0;
  std::vector<std::vector<const Visit*>> at;
  Nanos begin = 0, end = 0, resolution = 1;

  // When the item had its place in the next queue; nothing when the log does not say.
  std::optional<Nanos> left(std::size_t s, std::size_t row) const {
    const Visit& visit = *at[s][row];
    if (visit.sent) return std::max(*visit.sent, visit.end);
    if (s + 1 < at.size() && at[s + 1][row]->queued) {
      return std::max(*at[s + 1][row]->queued, visit.end);
    }
    return std::nullopt;
  }

  // Differences up to here are what the clock's rounding makes of nothing.
  Nanos rounding() const { return 2 * resolution; }
};

// Fills model.hand_over and model.send_delay from the visits, after everything else of the model is
// known: stages, columns, source. split[s]: stage s is replayed part by part.
void find_hand_overs(const VisitTable& table, const std::vector<bool>& split, RunModel& model);

}  // namespace assay::attribution
