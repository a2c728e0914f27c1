// SPDX-License-Identifier: Apache-2.0
// Builders of plain data for tests of any layer: plans, trials, findings, records. Defaults are
// those of `assay compare './encode -6 in.bin' './encode -7 in.bin'`; a test changes only what it
// is about. Header-only, included as "tests/support/records.hpp".
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "model/record.hpp"

namespace assay::support {

inline Metric metric(std::string name, std::string unit, bool gating) {
  Metric made;
  made.name = std::move(name);
  made.unit = std::move(unit);
  made.gating = gating;
  return made;
}
inline Metric wall_metric() { return metric("wall", "s", true); }
inline Metric cpu_metric() { return metric("cpu", "s", true); }
inline Metric memory_metric() {
  Metric made = metric("peak_mem", "B", false);
  made.method = "largest process";
  return made;
}
inline Metric output_metric(std::string name, std::string unit, Better better) {
  Metric made = metric(std::move(name), std::move(unit), false);
  made.better = better;
  made.origin = MetricOrigin::output;
  made.source = "assay";
  return made;
}

// A subject whose label is its command line.
inline Subject subject(const std::string& command) {
  Subject made;
  made.label = command;
  made.argv = split_command(command).value_or(std::vector<std::string>{command});
  return made;
}

// wall and cpu gate, peak memory is shown.
inline Plan compare_plan(const std::vector<std::string>& commands = {"./encode -6 in.bin",
                                                                     "./encode -7 in.bin"}) {
  Plan plan;
  plan.seed = 42;
  for (const std::string& command : commands) plan.arms.push_back(subject(command));
  plan.metrics = {wall_metric(), cpu_metric(), memory_metric()};
  return plan;
}

inline Trial trial(std::uint32_t arm, std::vector<std::optional<double>> values) {
  Trial made;
  made.arm = arm;
  made.block = 1;
  made.values = std::move(values);
  if (!made.values.empty() && made.values.front())
    made.duration = std::chrono::nanoseconds(std::llround(*made.values.front() * 1e9));
  return made;
}

inline Record record_of(Plan plan) {
  Record record;
  record.id = "k3v9x2ab";
  record.created_at_ms = 1764460800000;  // 2025-11-30 00:00:00 UTC
  record.plan = std::move(plan);
  record.host = {.fingerprint = "0123456789abcdef",
                 .name = "bench1",
                 .cpu = "Example CPU",
                 .kernel = "6.1.0",
                 .governor = "performance",
                 .cores = 8,
                 .memory_bytes = 16ull << 30};
  return record;
}

// A warm-up of every arm, then `runs` runs of every arm in turns. Arm a gives its values times
// 1 + (i % 5) / 100 in its i-th run, so that there is some spread and no randomness.
inline void add_runs(Record& record, std::uint32_t runs,
                     const std::vector<std::vector<double>>& values_of_arms) {
  for (std::uint32_t i = 0; i <= runs; ++i) {
    for (std::uint32_t arm = 0; arm < values_of_arms.size(); ++arm) {
      std::vector<std::optional<double>> values;
      for (const double value : values_of_arms[arm])
        values.push_back(value * (1 + static_cast<double>(i % 5) / 100));
      Trial made = trial(arm, std::move(values));
      made.warmup = i == 0;
      made.block = i == 0 ? 0 : 1 + (i - 1) / 6;
      made.slot =
          arm + static_cast<std::uint32_t>(values_of_arms.size()) * (i == 0 ? 0 : (i - 1) % 6);
      record.entries.push_back(std::move(made));
    }
  }
}

// What the rule might say of a metric. Ratios are those of the Reading: higher = worse.
struct FindingSpec {
  std::uint32_t metric = 0;
  Verdict verdict = Verdict::undecided;
  Reason reason = Reason::noisy;
  std::uint32_t runs = 18;
  double ratio = 1, lo99 = 1, hi99 = 1;
  double baseline = 1, candidate = 1;  // medians, base units
  std::optional<std::uint32_t> more = std::nullopt;
  std::uint32_t arm = 1;
};

// The 95 % interval is the 99 % one drawn in by a fifth; the sign follows the 99 % interval.
inline MetricFinding finding(const FindingSpec& spec) {
  MetricFinding made;
  made.arm = spec.arm;
  made.metric = spec.metric;
  made.verdict = spec.verdict;
  made.reason = spec.reason;
  made.reading.runs = made.all_runs = spec.runs;
  const double estimate = std::log(spec.ratio), lo = std::log(spec.lo99), hi = std::log(spec.hi99);
  made.reading.estimate = estimate;
  made.reading.lo99 = lo;
  made.reading.hi99 = hi;
  made.reading.lo95 = estimate + 0.8 * (lo - estimate);
  made.reading.hi95 = estimate + 0.8 * (hi - estimate);
  made.reading.sign = lo > 0 ? Sign::slower : hi < 0 ? Sign::faster : Sign::none;
  made.reading.p_seq = made.reading.sign == Sign::none ? 0.4 : 0.001;
  made.reading.more = spec.more;
  made.baseline_median = spec.baseline;
  made.candidate_median = spec.candidate;
  return made;
}

inline Conclusion conclusion(Verdict overall, std::vector<MetricFinding> findings) {
  Conclusion made;
  made.overall = overall;
  made.findings = std::move(findings);
  return made;
}

}  // namespace assay::support
