// SPDX-License-Identifier: Apache-2.0
#include "experiment/suite_audit_table.hpp"

#include <algorithm>
#include <cmath>

namespace assay::experiment {

AuditTable::AuditTable(const SuitePlan& suite) {
  for (std::uint32_t unit = 0; unit < suite.units.size(); ++unit)
    for (const std::string& id : suite.units[unit].ids)
      if (at_.emplace(std::pair(unit, id), benchmarks_.size()).second)
        benchmarks_.push_back({unit, id});
}

void AuditTable::learn(const Trial& trial) {
  for (const Measurement& one : trial.measurements) {
    if (one.position >= trial.units.size()) continue;
    const std::uint32_t unit = trial.units[one.position];
    if (at_.emplace(std::pair(unit, one.id), benchmarks_.size()).second)
      benchmarks_.push_back({unit, one.id});
  }
}

void AuditTable::read(const Trial& trial, std::size_t position, AuditReadings& into) const {
  if (into.size() < benchmarks_.size()) into.resize(benchmarks_.size());
  for (const Measurement& one : trial.measurements) {
    if (one.position != position || position >= trial.units.size()) continue;
    const auto at = at_.find({trial.units[position], one.id});
    if (at == at_.end()) continue;
    SuiteReading reading = reading_of(one);
    if (reading.is_ok()) into[at->second].push_back(std::move(reading));
  }
}

void AuditTable::read(const Trial& trial, AuditReadings& into) const {
  for (std::size_t position = 0; position < trial.units.size(); ++position)
    read(trial, position, into);
}

std::optional<double> AuditTable::log_of(const Trial& trial, std::size_t position,
                                         std::size_t benchmark) const {
  if (position >= trial.units.size() || trial.units[position] != benchmarks_[benchmark].unit)
    return std::nullopt;
  for (const Measurement& one : trial.measurements) {
    if (one.position != position || one.id != benchmarks_[benchmark].id) continue;
    const SuiteReading reading = reading_of(one);
    if (reading.is_ok()) return std::log(*reading.value);
  }
  return std::nullopt;
}

const std::vector<SuiteReading>& readings_at(const AuditReadings& readings, std::size_t benchmark) {
  static const std::vector<SuiteReading> kNone;
  return benchmark < readings.size() ? readings[benchmark] : kNone;
}

std::vector<double> logs_at(const AuditReadings& readings, std::size_t benchmark) {
  std::vector<double> logs;
  for (const SuiteReading& one : readings_at(readings, benchmark))
    logs.push_back(std::log(*one.value));
  return logs;
}

std::vector<const SuiteReading*> pointers_to(const std::vector<SuiteReading>& readings) {
  std::vector<const SuiteReading*> all;
  for (const SuiteReading& one : readings) all.push_back(&one);
  return all;
}

double least_n(const std::vector<SuiteReading>& readings) {
  double least = 0;
  for (const SuiteReading& one : readings)
    if (one.n > 0) least = least == 0 ? one.n : std::min(least, one.n);
  return least;
}

std::vector<SidePair> side_pairs(const AuditTable& table, const AuditReadings& alone,
                                 const AuditReadings& behind) {
  std::vector<SidePair> pairs;
  for (std::size_t i = 0; i < table.size(); ++i)
    pairs.push_back({.alone = logs_at(alone, i),
                     .behind = logs_at(behind, i),
                     .least_n = least_n(readings_at(alone, i))});
  return pairs;
}

}  // namespace assay::experiment
