// SPDX-License-Identifier: Apache-2.0
#include "experiment/arm_runs.hpp"

#include <cmath>
#include <utility>

#include "experiment/pairs.hpp"
#include "stats/order.hpp"

namespace assay::experiment {

ArmRuns::ArmRuns(const Plan& plan)
    : logs_(plan.arms.size()),
      is_broken_(plan.arms.size(), false),
      is_warm_(plan.arms.size(), false) {
  const auto gates = gates_of(plan);
  if (gates.empty()) return;
  metric_ = gates.front();
  metric_name_ = plan.metrics[metric_].name;
  higher_is_better_ = plan.metrics[metric_].better == Better::higher;
}

void ArmRuns::take(const Trial& trial) {
  is_warm_[trial.arm] = true;
  const auto value = metric_ < trial.values.size() ? trial.values[metric_] : std::nullopt;
  if (!value || !(*value > 0) || !std::isfinite(*value)) {
    break_arm({trial.arm, true,
               value ? "gave a value of " + metric_name_ + " that is not positive"
                     : "gave no value of " + metric_name_});
    return;
  }
  if (trial.warmup || is_broken_[trial.arm]) return;
  logs_[trial.arm].push_back(higher_is_better_ ? -std::log(*value) : std::log(*value));
}

void ArmRuns::take_broken(const Blocks& blocks) {
  for (; taken_ < blocks.broken().size(); ++taken_) break_arm(blocks.broken()[taken_]);
}

void ArmRuns::break_arm(BrokenArm arm) {
  if (is_broken_[arm.arm]) return;
  is_broken_[arm.arm] = true;
  broken_.push_back(std::move(arm));
}

double ArmRuns::median(std::uint32_t arm) const {
  const auto middle = stats::median(logs_[arm]);
  return middle ? std::exp(higher_is_better_ ? -*middle : *middle) : 0;
}

}  // namespace assay::experiment
