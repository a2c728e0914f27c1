// SPDX-License-Identifier: Apache-2.0
// A benchmark suite, as an experiment sees it: units that can be run alone or one behind another in
// one process, and what each benchmark in them said. How a unit is run is the adapter's (suite/).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace assay {

// The smallest thing that can be run alone: a file, a binary, or a group of benchmarks of a binary.
struct SuiteUnit {
  std::string name = {};              // unique in its suite
  std::vector<std::string> ids = {};  // of its benchmarks, as the listing gave them; may be empty

  bool operator==(const SuiteUnit&) const = default;
};

enum class Isolation {
  unit,  // a process for each unit
  suite  // all units in one process, in order
};

struct SuitePlan {
  std::string adapter = {};     // "gbench", "chainsafe", "catch2", "go", "pytest" or "toml"
  std::string rules = {};       // toml: the text of the file, as it was when the experiment began
  std::string rules_name = {};  // the file it came from, for messages
  std::string unit_by = {};     // gbench: "family", "binary" or "id"; empty = as the adapter likes
  std::vector<std::string> only = {};  // patterns (matches_pattern) of ids to run; empty = all
  std::vector<SuiteUnit> units = {};   // in the suite's own order; empty until it has been built
  bool joins = true;                   // whether one process can run several units
  bool reorders = false;  // whether units can run in another order than the suite's own
  bool repeats = false;   // whether one process can run a unit twice
  Isolation isolation = Isolation::unit;
  std::optional<double> memory_budget = {};  // bytes: what one process may take
  std::vector<std::string> controls = {};    // patterns of ids that the change cannot reach
  // audit: shuffled orders beside the reversed one; the search for polluters takes so many times
  // the suite's own time at most.
  std::uint32_t random_orders = 2;
  double search_limit = 12;

  bool operator==(const SuitePlan&) const = default;
};

enum class MeasurementStatus {
  ok,
  failed,   // it ran and said so, or the process died in it
  missing,  // listed (or seen before), and nothing came out
  skipped   // it said that it did not run
};

// A number that a benchmark reports of its workload: "validators" = 250000.
struct Fact {
  std::string name = {};
  double value = 0;

  bool operator==(const Fact&) const = default;
};

// What one benchmark said in one run of its unit.
struct Measurement {
  std::uint32_t position = 0;  // of its unit in the run (index into Trial::units)
  std::string id = {};
  MeasurementStatus status = MeasurementStatus::ok;
  std::optional<double> value = {};  // s an iteration: what the tool reports; nothing unless ok
  // Repetitions (or single iterations, where the tool keeps them) in the order in which they were
  // made, s an iteration; empty when the tool gives only `value`.
  std::vector<double> samples = {};
  std::optional<double> iterations = {};     // behind `value`, over all samples
  std::optional<double> total_s = {};        // of the timed iterations
  std::optional<double> warmup_s = {};       // before them
  std::optional<double> setup_s = {};        // fixtures and hooks in front of the first iteration
  std::optional<double> memory_before = {};  // bytes held: heap after a collection where the
  std::optional<double> memory_after = {};   // runtime has one, else resident
  std::optional<double> gc_s = {};           // collecting garbage inside the timed region
  std::string stop = {};                     // why it took no more samples, in the tool's words
  std::string message = {};                  // failed, skipped: why
  std::vector<Fact> facts = {};

  bool operator==(const Measurement&) const = default;
};

}  // namespace assay
