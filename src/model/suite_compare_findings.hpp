// SPDX-License-Identifier: Apache-2.0
// What `suite compare` found: a verdict a benchmark, all of one family, and what stands beside
// them. For conclusion.hpp, which has MetricFinding.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace assay {

// On which side a benchmark gave a time in its first run.
enum class Presence { both, only_baseline, only_candidate, neither };

// A figure that a benchmark reports of its workload and that is not the same on both sides.
struct FactChange {
  std::string name = {};
  double baseline = 0, candidate = 0;

  bool operator==(const FactChange&) const = default;
};

// The processes of one unit (with the suite in one process: all of it). Medians; bytes.
struct SuiteCompareUnit {
  std::uint32_t unit = 0;  // index into SuitePlan::units
  std::uint32_t runs = 0;  // a side, of complete blocks
  std::optional<double> baseline_memory = {}, candidate_memory = {};
  std::string trouble = {};  // why it was given up; empty = it was not

  bool operator==(const SuiteCompareUnit&) const = default;
};

}  // namespace assay
