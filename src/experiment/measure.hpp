// SPDX-License-Identifier: Apache-2.0
// `measure`: one command, many runs, no comparison. Ends at the number of runs asked for, or at the
// time budget once six runs exist (fewer give no interval for the median).
#pragma once

#include "experiment/blocks.hpp"
#include "experiment/experiment.hpp"

namespace assay::experiment {

class Measure final : public Experiment {
 public:
  explicit Measure(Plan plan);
  Step next(std::span<const Entry> entries, std::size_t jobs_in_flight) override;
  Progress progress() const override;

 private:
  std::vector<Run> schedule(std::uint32_t block) const;
  std::optional<EndedBy> ending() const;

  Plan plan_;
  std::optional<EndedBy> ended_by_;
  Blocks blocks_;
};

}  // namespace assay::experiment
