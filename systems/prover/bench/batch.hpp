// SPDX-License-Identifier: Apache-2.0
// `prover bench batch`: so many jobs, so many at once, through the engine, and what came of it.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "prover/bench/load.hpp"
#include "prover/bench/metered.hpp"
#include "prover/bench/options.hpp"
#include "prover/engine/engine.hpp"

namespace prover::bench {

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
  StepCpus cpus;          // what was done to partitions, resources and proofs
  double cpu_s = 0;       // of the whole process, from the first submission to the last end
  int signal_number = 0;  // that stopped it, or 0
  std::vector<std::string> warnings;

  std::uint64_t proofs() const { return engine.jobs_done; }
  // Proofs that were checked, and their partitions, are what the throughput counts.
  double makespan_s() const { return milliseconds(begin, end) / 1e3; }
};

// Runs the batch. Errors: nothing was started, because of what `kind` says (usage, too_large,
// out_of_memory). A batch that ended early, by a signal or for want of memory, is a result.
// `resident` was there before the load was opened, which is for the options.
Result<BatchResult> run_batch(const BatchOptions& options, const Load& load,
                              ResidentMemory& resident, Timeline& timeline, StopRequests& stops);

}  // namespace prover::bench
