// SPDX-License-Identifier: Apache-2.0
// How the engine is set. Every field is an option of the program; what each costs is in README.md.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "prover/base/result.hpp"

namespace prover {

// Which partition is taken next, and which leaves the queue first.
enum class Order {
  priority,  // strictly by (job, partition)
  fifo,      // first come, first served: jobs in flight take turns, a partition each
};

// How far a partition carries its permit to be synthesised.
enum class PermitScope {
  send,       // until it is in the queue: a full queue stops the synthesis (backpressure)
  synthesis,  // until it is synthesised: finished partitions pile up before a full queue
};

// How long a resource (proving key, compiled circuit) stays loaded.
enum class SrsPolicy {
  resident,  // until its bytes are needed for another: the least recently used goes first
  per_job,   // each job loads its own and drops it at its end
};

// Where the engine's log lines go (a line for each event of a partition).
enum class LogSink {
  off,
  stderr_,  // written by whoever has something to say
  async,    // handed to a thread that writes them
};

struct Options {
  std::uint32_t partition_workers = 4;  // synthesis threads, and permits
  std::uint32_t prove_workers = 1;
  std::uint32_t lookahead = 1;           // partitions synthesised ahead of the prover
  std::optional<std::uint32_t> channel;  // capacity of the queue; nothing: auto
  Order order = Order::priority;
  PermitScope permit_scope = PermitScope::send;
  bool early_free = true;              // a, b, c are freed between start and finish
  bool split = true;                   // start holds the device and finish does not; else both do
  std::optional<std::uint32_t> slots;  // partitions in the engine at once; nothing: any
  std::optional<std::uint32_t> synthesis_jobs;  // jobs being synthesised at once; nothing: any
  std::uint32_t batch = 1;                      // jobs that are collected and checked together
  std::chrono::milliseconds batch_wait{100};    // until a batch goes that is not full
  bool async_free = false;                      // a thread of its own frees what partitions held
  SrsPolicy srs = SrsPolicy::resident;
  LogSink log_sink = LogSink::off;
  std::optional<std::uint64_t> memory_budget;  // bytes; nothing: unlimited
  // Bytes that are there whatever the jobs are (SRS, the program itself): charged to the budget.
  std::uint64_t resident_bytes = 0;

  // The capacity in force: `channel`, or max(lookahead, prove_workers, 1).
  std::uint32_t capacity() const;
};

// Whether the fields are in range and go together. Errors name the option.
Result<void> check(const Options& options);

}  // namespace prover
