// SPDX-License-Identifier: Apache-2.0
#include "report/samples.hpp"

#include <algorithm>
#include <cmath>

#include "stats/order.hpp"

namespace assay::report {
namespace {

std::optional<double> value_of(const Trial& trial, std::optional<std::uint32_t> metric) {
  if (!metric || *metric >= trial.values.size() || !trial.values[*metric]) return std::nullopt;
  return std::isfinite(*trial.values[*metric]) ? trial.values[*metric] : std::nullopt;
}

}  // namespace

std::vector<const Trial*> trials_of(const Record& record) {
  std::vector<const Trial*> trials;
  for (const Entry& entry : record.entries)
    if (const auto* trial = std::get_if<Trial>(&entry)) trials.push_back(trial);
  return trials;
}

std::vector<double> values_of(const Record& record, std::uint32_t arm, std::uint32_t metric) {
  std::vector<double> values;
  for (const Trial* trial : trials_of(record)) {
    if (trial->warmup || trial->arm != arm) continue;
    if (const auto value = value_of(*trial, metric)) values.push_back(*value);
  }
  return values;
}

std::optional<std::uint32_t> metric_index(const Plan& plan, std::string_view name) {
  for (std::size_t i = 0; i < plan.metrics.size(); ++i)
    if (plan.metrics[i].name == name) return static_cast<std::uint32_t>(i);
  return std::nullopt;
}

Waiting waiting_of(const Record& record, std::span<const std::uint32_t> arms) {
  const auto wall = metric_index(record.plan, "wall");
  const auto cpu = metric_index(record.plan, "cpu");
  std::vector<double> idle, pressure, delay, disk;
  for (const Trial* trial : trials_of(record)) {
    if (trial->warmup || std::find(arms.begin(), arms.end(), trial->arm) == arms.end()) continue;
    const auto seconds = value_of(*trial, wall);
    if (!seconds || *seconds <= 0) continue;
    const Contention& c = trial->contention;
    if (const auto used = value_of(*trial, cpu)) idle.push_back(1 - *used / *seconds);
    if (c.psi_cpu_s) pressure.push_back((*c.psi_cpu_s + c.steal_s.value_or(0)) / *seconds);
    if (c.run_delay_s) delay.push_back(*c.run_delay_s / *seconds);
    if (c.psi_io_s) disk.push_back(*c.psi_io_s / *seconds);
  }
  Waiting waiting{stats::median(idle), stats::median(pressure), stats::median(delay),
                  stats::median(disk), false};
  waiting.busy = waiting.pressure.value_or(0) >= 0.1 || waiting.delay.value_or(0) >= 0.1;
  return waiting;
}

std::optional<double> round_seconds(const Record& record) {
  std::vector<double> seconds(record.plan.arms.size()), runs(record.plan.arms.size());
  for (const Trial* trial : trials_of(record)) {
    if (trial->arm >= seconds.size()) continue;
    seconds[trial->arm] += std::chrono::duration<double>(trial->duration).count();
    runs[trial->arm] += 1;
  }
  double round = 0;
  for (std::size_t arm = 0; arm < seconds.size(); ++arm) {
    if (runs[arm] == 0) return std::nullopt;
    round += seconds[arm] / runs[arm];
  }
  return round;
}

}  // namespace assay::report
