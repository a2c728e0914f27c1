// SPDX-License-Identifier: Apache-2.0
// `sweep`: Which value? Every level once a round in random order; flat, trend or step (rule.md
// section 6).
#pragma once

#include "experiment/blocks.hpp"
#include "experiment/experiment.hpp"

namespace assay::experiment {

class Sweep final : public Experiment {
 public:
  explicit Sweep(Plan plan);
  Step next(std::span<const Entry> entries, std::size_t jobs_in_flight) override;
  Progress progress() const override;

 private:
  Plan plan_;
};

}  // namespace assay::experiment
