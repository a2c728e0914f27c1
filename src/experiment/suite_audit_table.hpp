// SPDX-License-Identifier: Apache-2.0
// The benchmarks of a suite, numbered, and what runs said of them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "experiment/suite_audit_pairs.hpp"
#include "experiment/suite_audit_signs.hpp"
#include "model/suite.hpp"
#include "model/trial.hpp"

namespace assay::experiment {

struct AuditBenchmark {
  std::uint32_t unit = 0;
  std::string id = {};
};

// By benchmark, in run order; only what came out.
using AuditReadings = std::vector<std::vector<SuiteReading>>;

class AuditTable {
 public:
  explicit AuditTable(const SuitePlan& suite);

  std::size_t size() const { return benchmarks_.size(); }
  const AuditBenchmark& operator[](std::size_t benchmark) const { return benchmarks_[benchmark]; }

  // A benchmark that no listing has gets the next number.
  void learn(const Trial& trial);
  // Appends what the unit at `position` of the run said, by benchmark; only what is ok.
  void read(const Trial& trial, std::size_t position, AuditReadings& into) const;
  // The same at every position.
  void read(const Trial& trial, AuditReadings& into) const;
  // Log of the time that `benchmark` gave at `position`; nothing when it gave none.
  std::optional<double> log_of(const Trial& trial, std::size_t position,
                               std::size_t benchmark) const;

 private:
  std::vector<AuditBenchmark> benchmarks_;
  std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> at_;
};

// Of one benchmark; nothing known = empty.
const std::vector<SuiteReading>& readings_at(const AuditReadings& readings, std::size_t benchmark);
std::vector<double> logs_at(const AuditReadings& readings, std::size_t benchmark);
std::vector<const SuiteReading*> pointers_to(const std::vector<SuiteReading>& readings);
// The fewest iterations behind a value; 0 = the tool does not say.
double least_n(const std::vector<SuiteReading>& readings);

// alone against behind, of every benchmark of the table.
std::vector<SidePair> side_pairs(const AuditTable& table, const AuditReadings& alone,
                                 const AuditReadings& behind);

}  // namespace assay::experiment
