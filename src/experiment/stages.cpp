// SPDX-License-Identifier: Apache-2.0
#include "experiment/stages.hpp"

#include <algorithm>

namespace assay::experiment {
namespace {

constexpr std::size_t kMostStages = 200;  // a log with more names has no stages

std::vector<std::string> stage_names(std::span<const Trial* const> trials) {
  std::vector<std::string> names;
  for (const Trial* trial : trials) {
    for (const StageReading& stage : trial->stages) {
      if (stage.spans == 0 || names.size() == kMostStages) continue;
      if (std::find(names.begin(), names.end(), stage.stage) == names.end())
        names.push_back(stage.stage);
    }
  }
  return names;
}

// The same trial as the stage tests see it: one value a stage.
Trial stage_values(const Trial& trial, const std::vector<std::string>& names) {
  Trial out;
  out.arm = trial.arm;
  for (const std::string& name : names) {
    const auto found = std::find_if(trial.stages.begin(), trial.stages.end(),
                                    [&](const StageReading& stage) { return stage.stage == name; });
    const bool has = found != trial.stages.end() && found->spans > 0;
    out.values.push_back(has ? std::optional(found->service_s) : std::nullopt);
  }
  return out;
}

}  // namespace

void StageTests::add_block(std::span<const Trial* const> trials) {
  if (!pairs_) {
    names_ = stage_names(trials);
    if (names_.empty()) return;
    stage_plan_ = std::make_unique<Plan>(plan_);
    stage_plan_->metrics.clear();
    stage_plan_->floors.clear();  // they were measured for other metrics
    stage_plan_->run.exact = false;
    for (const std::string& name : names_)
      stage_plan_->metrics.push_back({.name = name, .unit = "s", .gating = true});
    pairs_.emplace(*stage_plan_);
  }
  std::vector<Trial> values;
  values.reserve(trials.size());
  for (const Trial* trial : trials) values.push_back(stage_values(*trial, names_));
  std::vector<const Trial*> pointers;
  for (const Trial& trial : values) pointers.push_back(&trial);
  pairs_->add_block(pointers);
}

std::vector<StageFinding> StageTests::findings() const {
  std::vector<StageFinding> all;
  if (!pairs_) return all;
  for (const MetricFinding& finding : pairs_->findings())
    all.push_back({names_[finding.metric], finding});
  return all;
}

}  // namespace assay::experiment
