// SPDX-License-Identifier: Apache-2.0
// The one idea: everything that costs machine time is an experiment, a pure function that looks at
// the records so far and either asks for the next job or concludes. The lab runs it, simulation
// runs it on synthetic trials, resume replays the store into it.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "base/result.hpp"
#include "model/job.hpp"
#include "model/record.hpp"

namespace assay::experiment {

// Nothing to ask until a job in flight has ended.
struct Wait {};

using Step = std::variant<Job, Wait, Conclusion>;

// Where the experiment stands, for progress lines.
struct Progress {
  std::uint32_t blocks_done = 0;
  std::uint32_t runs_done = 0;          // all arms, warm-up included
  double seconds_used = 0;              // machine time recorded
  std::optional<double> seconds_left;   // predicted until the answer or the cut, whichever is first
  std::optional<double> block_seconds;  // mean length of one block
  std::vector<MetricFinding> findings;  // as they stand; empty before the first look
  std::string status = {};  // over many arms: "round 5 of 24", "likeliest: 3fa1c2d (62 %)"
};

class Experiment {
 public:
  virtual ~Experiment() = default;

  // The next step after `entries`, which only ever grow between calls on the same object (it keeps
  // what it derived from the prefix; a fresh object given all entries at once answers the same).
  // jobs_in_flight: jobs asked for whose trials are not all in `entries`.
  virtual Step next(std::span<const Entry> entries, std::size_t jobs_in_flight) = 0;

  virtual Progress progress() const = 0;
};

// The experiment that a plan describes. The plan must be valid (see check_plan).
std::unique_ptr<Experiment> make_experiment(const Plan& plan);

// What is wrong with a plan before anything runs: empty commands, tolerance 0, unknown gates, ...
Result<void> check_plan(const Plan& plan);

}  // namespace assay::experiment
