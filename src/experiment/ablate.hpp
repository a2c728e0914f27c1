// SPDX-License-Identifier: Apache-2.0
// `ablate`: Which of k changes, alone or in pairs? Reproduction, a design over the on/off states, a
// Bayesian choice among sparse models, confirmation.
#pragma once

#include "experiment/blocks.hpp"
#include "experiment/experiment.hpp"

namespace assay::experiment {

class Ablate final : public Experiment {
 public:
  explicit Ablate(Plan plan);
  Step next(std::span<const Entry> entries, std::size_t jobs_in_flight) override;
  Progress progress() const override;

 private:
  Plan plan_;
};

}  // namespace assay::experiment
