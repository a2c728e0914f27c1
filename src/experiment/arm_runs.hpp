// SPDX-License-Identifier: Apache-2.0
// What the arms of a `bisect` or an `ablate` gave so far: values of the deciding metric, and who
// gave up.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "experiment/blocks.hpp"
#include "model/plan.hpp"
#include "model/trial.hpp"

namespace assay::experiment {

class ArmRuns {
 public:
  explicit ArmRuns(const Plan& plan);

  // A run that counts is kept; one without a positive value breaks its arm.
  void take(const Trial& trial);
  // Takes over the arms that gave up while blocks were read.
  void take_broken(const Blocks& blocks);

  // Logs in run order, higher = worse.
  std::span<const double> logs(std::uint32_t arm) const { return logs_[arm]; }
  std::size_t count(std::uint32_t arm) const { return logs_[arm].size(); }
  bool is_broken(std::uint32_t arm) const { return is_broken_[arm]; }
  bool is_warm(std::uint32_t arm) const { return is_warm_[arm]; }  // has run, warm-up included
  // Of the metric in base units; 0 without runs.
  double median(std::uint32_t arm) const;
  const std::vector<BrokenArm>& broken() const { return broken_; }

 private:
  void break_arm(BrokenArm arm);

  std::uint32_t metric_ = 0;
  std::string metric_name_;
  bool higher_is_better_ = false;
  std::vector<std::vector<double>> logs_;
  std::vector<bool> is_broken_, is_warm_;
  std::vector<BrokenArm> broken_;
  std::size_t taken_ = 0;  // of the broken arms of the blocks
};

}  // namespace assay::experiment
