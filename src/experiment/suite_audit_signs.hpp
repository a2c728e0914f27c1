// SPDX-License-Identifier: Apache-2.0
// What runs of a suite say against themselves, for free: no run is made for it. Each sign has been
// the first trace of a number that meant something else than its name. Doubts, not verdicts: a
// benchmark with a doubt may still be right.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/audit_findings.hpp"
#include "model/trial.hpp"

namespace assay::experiment {

// One measurement, without its samples.
struct SuiteReading {
  MeasurementStatus status = MeasurementStatus::ok;
  std::optional<double> value = {};        // s an iteration, > 0
  double n = 0;                            // iterations behind it; 0 = the tool does not say
  std::optional<double> first_share = {};  // of the first sample in the timed total
  std::optional<double> first_extra = {};  // s: what its excess over the median adds to the mean
  std::optional<double> mean_over_median = {};
  std::optional<double> total_s = {}, setup_s = {}, warmup_s = {}, gc_s = {};
  std::optional<double> memory_before = {}, memory_after = {};
  std::vector<Fact> facts = {};

  bool is_ok() const { return status == MeasurementStatus::ok && value.has_value(); }
};

SuiteReading reading_of(const Measurement& measurement);

// Whether a fact counts what the hardware did, or how often the tool chose to measure: it varies
// with the machine's state, and is no workload.
bool is_counter(const std::string& fact);

// Facts that have one value in all of `a`, one in all of `b`, and not the same: "validators 250000
// -> 10000, rebuilds 0 -> 1"; empty = none.
std::string changed_facts(std::span<const SuiteReading* const> a,
                          std::span<const SuiteReading* const> b);

// The signs of all benchmarks of `trials` (of one arm), in the plan's order; one of a kind for each
// benchmark, the strongest. Thresholds: n = 1 or a tenth of its largest n; timed for 3 times the
// median benchmark; first sample > 50 % of the total (of 3 at least); mean / median > 1.5 (of 5
// samples); setup above 80 % of what the
// median benchmark is timed for; below a nanosecond an iteration. The two about budgets only where
// the benchmarks have a common one.
std::vector<AuditDoubt> free_signs(const SuitePlan& suite, std::span<const Trial* const> trials);

}  // namespace assay::experiment
