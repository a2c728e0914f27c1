// SPDX-License-Identifier: Apache-2.0
// What was asked: everything an experiment needs, and all of it is stored.
// Same plan, same seed, same trials: same conclusion, byte for byte.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/design.hpp"
#include "model/imported.hpp"
#include "model/metric.hpp"
#include "model/subject.hpp"
#include "model/suite.hpp"

namespace assay {

// A stored noise floor that widens a metric's intervals (rule.md section 5).
struct NoiseFloor {
  std::string metric = {};
  double sys_sigma = 0;             // log units
  int sys_k = 0;                    // comparisons behind it
  double pair_sigma = 0;            // log units; robust SD of one run pair
  std::int64_t measured_at_ms = 0;  // Unix time, milliseconds

  bool operator==(const NoiseFloor&) const = default;
};

enum class PlanKind {
  compare,
  measure,
  calibrate,
  sessions,
  sweep,
  ablate,
  bisect,
  timeline,
  suite_run,
  suite_compare,
  suite_audit,
  imported
};

// How each run is executed; the same for every arm.
struct RunOptions {
  double timeout_s = 0;        // 0 = none
  double cooldown_s = 0;       // pause before every run
  bool ignore_exit = false;    // accept exit codes other than 0 (never signals)
  bool line_buffered = false;  // stdout on a pty
  bool isolate = false;        // raised priority and own CPUs where permitted
  std::string pin = {};        // CPU list such as "1" or "0,2-3"; empty = no pinning
  bool exact = false;          // instructions under callgrind, ASLR off, fixed environment

  bool operator==(const RunOptions&) const = default;
};

// Where the events of every run are found (--events), and how they are read.
struct EventsPlan {
  std::string source = {};  // "emitter", "stdout", "stderr", or a file that every run writes anew
  std::string format = {};  // an importer's name; empty = recognised by content
  std::string rules = {};   // TOML text, as it was when the experiment began; empty = none
  std::string rules_name = {};  // the file it came from, for messages
  std::string logs = {};        // folder that keeps each run's raw log; empty = not kept

  bool operator==(const EventsPlan&) const = default;
};

struct Plan {
  PlanKind kind = PlanKind::compare;
  std::string name = {};  // user's name for the comparison, may be empty
  std::uint64_t seed = 0;
  std::vector<Subject> arms = {};             // arms[0] is the baseline
  std::optional<std::uint32_t> control = {};  // arm that is a copy of the baseline (--control)
  std::vector<Metric> metrics = {};
  double tolerance = 0.02;       // tau, as a fraction
  std::uint32_t max_runs = 198;  // per side
  double time_budget_s = 600;    // sum of recorded durations; 0 = none
  // measure: runs wanted; calibrate: comparisons; sessions: K a side; sweep, timeline: rounds;
  // ablate: most runs of the search, 0 = as many as the design suggests; suite_run: rounds
  std::uint32_t runs = 0;
  bool tails = false;  // demand n >= 96 before EQUIVALENT
  RunOptions run = {};
  std::optional<EventsPlan> events = {};
  std::optional<Design> design = {};  // sweep, ablate, bisect, timeline
  std::optional<SuitePlan> suite = {};
  std::vector<NoiseFloor> floors = {};
  std::vector<double> earlier_p =
      {};  // p_seq of earlier runs of this same comparison (7 days), per gate min
  std::string id_for_order = {};  // the benchmark id of the sampling order (rule.md section 1)
  std::vector<ImportedFile> imported = {};  // imported: results of other tools, one side

  bool operator==(const Plan&) const = default;
};

}  // namespace assay
