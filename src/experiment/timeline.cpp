// SPDX-License-Identifier: Apache-2.0
#include "experiment/timeline.hpp"

#include "experiment/simulate_design.hpp"

namespace assay::experiment {

Timeline::Timeline(Plan plan) : plan_(std::move(plan)) {}

Step Timeline::next(std::span<const Entry>, std::size_t) { return Conclusion{}; }

Progress Timeline::progress() const { return {}; }

Result<std::vector<DesignScenario>> timeline_scenarios(const std::vector<std::string>&) {
  return std::vector<DesignScenario>();
}

}  // namespace assay::experiment
