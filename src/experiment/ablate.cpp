// SPDX-License-Identifier: Apache-2.0
#include "experiment/ablate.hpp"

#include "experiment/simulate_design.hpp"

namespace assay::experiment {

Ablate::Ablate(Plan plan) : plan_(std::move(plan)) {}

Step Ablate::next(std::span<const Entry>, std::size_t) { return Conclusion{}; }

Progress Ablate::progress() const { return {}; }

Result<std::vector<DesignScenario>> ablate_scenarios(const std::vector<std::string>&) {
  return std::vector<DesignScenario>();
}

}  // namespace assay::experiment
