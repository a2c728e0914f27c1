// SPDX-License-Identifier: Apache-2.0
#include "experiment/sweep.hpp"

#include "experiment/simulate_design.hpp"

namespace assay::experiment {

Sweep::Sweep(Plan plan) : plan_(std::move(plan)) {}

Step Sweep::next(std::span<const Entry>, std::size_t) { return Conclusion{}; }

Progress Sweep::progress() const { return {}; }

Result<std::vector<DesignScenario>> sweep_scenarios(const std::vector<std::string>&) {
  return std::vector<DesignScenario>();
}

}  // namespace assay::experiment
