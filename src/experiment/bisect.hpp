// SPDX-License-Identifier: Apache-2.0
// `bisect`: Which commit? Anchors first, then the commit that tells most for its price, until one
// has 97 %.
#pragma once

#include "experiment/blocks.hpp"
#include "experiment/experiment.hpp"

namespace assay::experiment {

class Bisect final : public Experiment {
 public:
  explicit Bisect(Plan plan);
  Step next(std::span<const Entry> entries, std::size_t jobs_in_flight) override;
  Progress progress() const override;

 private:
  Plan plan_;
};

}  // namespace assay::experiment
