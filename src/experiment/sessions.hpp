// SPDX-License-Identifier: Apache-2.0
// `compare --sessions K`: for subjects that take minutes. K sessions a side in random order, each
// session one value; Student's t between pairs of sessions (rule.md section 5). Fixed K, one
// reading at the end.
#pragma once

#include "experiment/blocks.hpp"
#include "experiment/experiment.hpp"

namespace assay::experiment {

class Sessions final : public Experiment {
 public:
  explicit Sessions(Plan plan);
  Step next(std::span<const Entry> entries, std::size_t jobs_in_flight) override;
  Progress progress() const override;

 private:
  std::vector<Run> schedule(std::uint32_t block) const;
  std::vector<MetricFinding> findings() const;

  Plan plan_;
  // [arm][metric], one value a session, NaN when the session did not give it.
  std::vector<std::vector<std::vector<double>>> series_;
  Blocks blocks_;
};

}  // namespace assay::experiment
