// SPDX-License-Identifier: Apache-2.0
// `timeline`: Every commit of a range or list in randomised rounds: each against its parent and the
// first.
#pragma once

#include "experiment/blocks.hpp"
#include "experiment/experiment.hpp"

namespace assay::experiment {

class Timeline final : public Experiment {
 public:
  explicit Timeline(Plan plan);
  Step next(std::span<const Entry> entries, std::size_t jobs_in_flight) override;
  Progress progress() const override;

 private:
  Plan plan_;
};

}  // namespace assay::experiment
