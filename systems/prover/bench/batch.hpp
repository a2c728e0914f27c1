// SPDX-License-Identifier: Apache-2.0
// `prover bench batch`: so many jobs, so many at once, through the engine, and what came of it.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "prover/engine/engine.hpp"
#include "prover/engine/synthetic.hpp"
#include "prover/settings/engine_table.hpp"

namespace prover::bench {

struct BatchOptions {
  std::uint32_t jobs = 4;
  std::optional<std::uint32_t> at_once;  // jobs in flight; nothing: all
  std::uint32_t partitions = 10;
  std::string work = "synthetic";
  settings::EngineSettings settings;
  SyntheticOptions synthetic;
  std::optional<std::string> timeline;  // file or "-"
  std::optional<std::string> json;      // file or "-"
  bool assay_metrics = false;

  std::uint32_t jobs_at_once() const { return at_once ? *at_once : jobs; }
};

// What a Ctrl-C or a service manager asks of a running batch. Set from any thread; then call
// wake().
class StopRequests {
 public:
  // First: no new jobs, those in flight end. Second: those in flight are cancelled too.
  void request(int signal_number);
  int signal_number() const { return signal_.load(); }
  int count() const { return count_.load(); }

 private:
  friend class Batch;
  std::atomic<int> signal_{0}, count_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
};

struct BatchResult {
  std::vector<JobOutcome> outcomes;  // in the order of their ends
  std::uint32_t submitted = 0;
  TimePoint begin, end;  // first submission, last end
  Snapshot engine;       // after the last job
  PeakMemory peak;
  int signal_number = 0;  // that stopped it, or 0
  std::vector<std::string> warnings;

  std::uint64_t proofs() const { return engine.jobs_done; }
  // Proofs that were checked, and their partitions, are what the throughput counts.
  double makespan_s() const { return milliseconds(begin, end) / 1e3; }
};

// Whether the options go together and every number is in range. Errors name the option.
Result<void> check(const BatchOptions& options);

// Runs the batch. Errors: nothing was started, because of what `kind` says (usage, too_large,
// out_of_memory). A batch that ended early, by a signal or for want of memory, is a result.
Result<BatchResult> run_batch(const BatchOptions& options, Timeline& timeline, StopRequests& stops);

}  // namespace prover::bench
