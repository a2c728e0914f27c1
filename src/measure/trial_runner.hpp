// SPDX-License-Identifier: Apache-2.0
// Makes trials: one launcher process, kept for the whole experiment, starts every command.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "model/conclusion.hpp"
#include "model/job.hpp"
#include "model/plan.hpp"
#include "model/trial.hpp"

namespace assay::measure {

// Files that get a copy of a run's streams, each run anew; empty = no copy.
struct OutputCopies {
  std::string out = {}, err = {};
};

class TrialRunner {
 public:
  // Starts the launcher and prepares what the plan's RunOptions ask for (pinning, isolation,
  // cgroup). `interrupted` is watched while a trial runs; it must outlive the runner. Errors: the
  // launcher is missing, an executable of an arm that needs no build is not found (with the nearest
  // name on PATH) or not executable, an input file is missing, a metric source is malformed.
  static Result<std::unique_ptr<TrialRunner>> start(const Plan& plan,
                                                    const std::atomic<bool>& interrupted,
                                                    const OutputCopies& copies = {});
  virtual ~TrialRunner() = default;

  // Runs once: prepare hook, cool-down, the command, conclude hook. Nothing when it was interrupted
  // (the process tree is gone then). A command that fails or times out is a Trial with that Exit;
  // an Error means that the harness itself could not go on (a hook failed, the launcher died).
  virtual Result<std::optional<Trial>> run(const Run& run) = 0;

  // The arm's setup (or cleanup) command; nothing to do when it has none.
  virtual Result<void> setup(std::uint32_t arm) = 0;
  virtual Result<void> cleanup(std::uint32_t arm) = 0;

  // Why the copies of the last run's streams are not whole; nothing = they are.
  virtual std::optional<Error> copy_error() const { return std::nullopt; }

  // From now on the arm runs this: its build is ready. Errors as of start().
  virtual Result<void> replace_arm(std::uint32_t arm, const Subject& subject) = 0;

  // What the host does not permit: "no cgroup: memory is the largest process (wait4)", ...
  virtual std::vector<Warning> warnings() const = 0;
};

// The built-in metrics by name: wall, cpu, user, sys, peak_mem, tree_mem, cgroup_mem, page_faults,
// instructions. Nothing when unknown.
std::optional<Metric> builtin_metric(const std::string& name);
std::vector<Metric> builtin_metrics();

// A metric from "NAME=SOURCE" with SOURCE = re:PATTERN with one group, json:/pointer, or assay
// (lines `ASSAY name=value unit`). An optional suffix of the name gives unit and direction:
// "throughput[req/s,higher]=re:...". A name that ends in _ms, _us, _s, _bytes fixes the unit.
Result<Metric> parse_metric(const std::string& text);

}  // namespace assay::measure
