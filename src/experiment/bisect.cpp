// SPDX-License-Identifier: Apache-2.0
#include "experiment/bisect.hpp"

#include "experiment/simulate_design.hpp"

namespace assay::experiment {

Bisect::Bisect(Plan plan) : plan_(std::move(plan)) {}

Step Bisect::next(std::span<const Entry>, std::size_t) { return Conclusion{}; }

Progress Bisect::progress() const { return {}; }

Result<std::vector<DesignScenario>> bisect_scenarios(const std::vector<std::string>&) {
  return std::vector<DesignScenario>();
}

}  // namespace assay::experiment
