// SPDX-License-Identifier: Apache-2.0
// The stages of a comparison with --events as a family of tests of their own: one value a run and
// stage (the mean service of its spans), the rule's sequential test at .01 / M each, Holm at the
// end. The gates decide when sampling ends; the stages are read where it ended.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "experiment/pairs.hpp"
#include "model/conclusion.hpp"
#include "model/plan.hpp"
#include "model/trial.hpp"

namespace assay::experiment {

class StageTests {
 public:
  explicit StageTests(const Plan& plan) : plan_(plan) {}

  // The trials of one complete block. The stages are those of the first block's runs, in the order
  // of the first run that names them; what appears later is not tested.
  void add_block(std::span<const Trial* const> trials);

  // One finding per arm but the baseline and stage, arms in order; empty without events. A stage
  // that some run does not have is INVALID, missing-metric.
  std::vector<StageFinding> findings() const;

 private:
  const Plan& plan_;
  std::vector<std::string> names_ = {};
  std::unique_ptr<Plan> stage_plan_ = {};  // the plan with the stages as its gates
  std::optional<Pairs> pairs_ = {};
};

}  // namespace assay::experiment
