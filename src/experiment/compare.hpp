// SPDX-License-Identifier: Apache-2.0
// `compare`: is the candidate slower than the baseline? Blocks of six runs of every arm in random
// order, the rule's test per metric and candidate, sampling until every gate has its verdict,
// nothing is to be gained, or the cap or the budget ends it.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "experiment/blocks.hpp"
#include "experiment/experiment.hpp"
#include "experiment/pairs.hpp"
#include "experiment/stages.hpp"

namespace assay::experiment {

class Compare final : public Experiment {
 public:
  explicit Compare(Plan plan);
  Step next(std::span<const Entry> entries, std::size_t jobs_in_flight) override;
  Progress progress() const override;

 private:
  std::vector<Run> schedule(std::uint32_t block) const;
  bool end_block(std::uint32_t block, std::span<const Trial* const> trials);
  std::optional<EndedBy> ending() const;
  // Runs per side that the budget still allows, those made included.
  std::uint32_t runs_within_budget() const;
  std::uint32_t runs_per_side() const { return 6 * blocks_.blocks_done(); }

  Plan plan_;
  std::vector<std::uint32_t> arms_;
  Pairs pairs_;
  StageTests stages_;
  std::optional<EndedBy> ended_by_;
  Blocks blocks_;
};

}  // namespace assay::experiment
