// SPDX-License-Identifier: Apache-2.0
// The family of tests of one comparison: every metric of every candidate against the baseline, fed
// block by block, and read as findings at the end.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "model/conclusion.hpp"
#include "model/plan.hpp"
#include "model/trial.hpp"
#include "verdict/pair_test.hpp"

namespace assay::experiment {

// One metric of one pair (baseline, candidate).
struct Pair {
  std::uint32_t arm = 1;
  std::uint32_t metric = 0;
  bool gating = false;                     // counts towards the overall verdict and drives sampling
  bool control = false;                    // the pair (A, A')
  std::optional<verdict::PairTest> test;   // from the first block on
  bool missing_value = false;              // some run did not give this metric
  std::optional<verdict::Decision> exact;  // --exact: the sides were constant in the pilot

  // Still waiting for a verdict.
  bool is_open() const;
};

class Pairs {
 public:
  explicit Pairs(const Plan& plan);

  // The trials of one complete block.
  void add_block(std::span<const Trial* const> trials);
  // The pilot of --exact: two runs a side. Constant sides decide a pair at a tolerance of 0.1 %.
  void add_pilot(std::span<const Trial* const> trials);

  std::span<const Pair> all() const { return pairs_; }
  // Gating pairs of candidates (the control arm is no candidate).
  bool any_open_gate() const;
  // Every open gate would need more than `reachable` runs per side (rule.md section 4).
  bool all_open_gates_futile(std::uint32_t reachable) const;
  // A gate that can never get a verdict: its metric is missing or not positive.
  const Pair* broken_gate() const;
  bool control_moved() const;

  // One finding per arm but the baseline (the control too) and metric, arms in order; Holm and
  // re-runs applied to the gates.
  std::vector<MetricFinding> findings() const;

 private:
  void feed(Pair& pair, std::size_t first);
  MetricFinding finding(const Pair& pair) const;
  void correct_family(std::vector<MetricFinding>& findings) const;
  double median_of(std::uint32_t arm, std::uint32_t metric, std::uint32_t runs) const;

  const Plan& plan_;
  std::vector<Pair> pairs_;
  double family_alpha_ = 0.01;  // of one gating test while sampling
  // Values of complete blocks, [arm][metric] in run order; NaN where a run did not give one.
  std::vector<std::vector<std::vector<double>>> series_;
  std::uint32_t least_memory_samples_ = std::numeric_limits<std::uint32_t>::max();
};

// Whether a metric's finding gets a verdict word. Others are numbers beside it.
bool is_judged(const Metric& metric);
// Index of the metrics that gate.
std::vector<std::uint32_t> gates_of(const Plan& plan);
// Arms that are candidates: all but the baseline and the control.
std::vector<std::uint32_t> candidates_of(const Plan& plan);

// The worst verdict of the candidates' gating findings; equivalent when there is none.
Verdict worst_of(std::span<const MetricFinding> findings, const Plan& plan);

}  // namespace assay::experiment
