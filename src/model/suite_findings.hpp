// SPDX-License-Identifier: Apache-2.0
// What `suite run` found: one row a benchmark, one row a unit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/suite.hpp"

namespace assay {

// One benchmark over all runs of its unit. Times are seconds an iteration.
struct BenchmarkRow {
  std::uint32_t unit = 0;  // index into SuitePlan::units
  std::string id = {};
  bool listed = true;  // false: the listing does not have it
  std::uint32_t ok = 0, failed = 0, missing = 0, skipped = 0;  // runs
  std::optional<double> median = {};                           // of the runs that were ok
  std::optional<double> lo = {}, hi = {};  // distribution-free, 95 % at least; from six runs on
  std::optional<double> spread = {};       // largest / smallest - 1; from two runs on
  std::optional<double> iterations = {};   // fewest behind a value of one run
  std::optional<double> setup_s = {};      // median
  std::vector<Fact> facts = {};            // of the last run that was ok
  std::string message = {};                // of the last run that was not ok
  std::vector<std::string> doubts = {};    // clauses, each with its figure

  bool operator==(const BenchmarkRow&) const = default;
};

// The processes that ran one unit; of a run of several units only the first row has them all.
struct UnitRow {
  std::uint32_t unit = 0;  // index into SuitePlan::units
  std::uint32_t runs = 0, failed = 0;
  std::optional<double> wall = {}, peak_memory = {};  // medians; s, bytes
  std::string message = {};                           // of the last failure
  bool given_up = false;                              // it failed in front, and was not run again

  bool operator==(const UnitRow&) const = default;
};

struct SuiteRunFinding {
  std::uint32_t rounds = 0;  // complete ones
  std::vector<BenchmarkRow> benchmarks =
      {};                           // in the suite's order, then those that it never listed
  std::vector<UnitRow> units = {};  // one each; with the suite in one process: one

  bool operator==(const SuiteRunFinding&) const = default;
};

}  // namespace assay
