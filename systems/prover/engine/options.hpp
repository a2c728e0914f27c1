// SPDX-License-Identifier: Apache-2.0
// How the engine is set. Every field is an option of the program; what each costs is in README.md.
#pragma once

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

struct Options {
  std::uint32_t partition_workers = 4;  // synthesis threads, and permits
  std::uint32_t prove_workers = 1;
  std::uint32_t lookahead = 1;           // partitions synthesised ahead of the prover
  std::optional<std::uint32_t> channel;  // capacity of the queue; nothing: auto
  Order order = Order::priority;
  PermitScope permit_scope = PermitScope::send;
  bool early_free = true;                      // a, b, c are freed between start and finish
  std::optional<std::uint64_t> memory_budget;  // bytes; nothing: unlimited
  // Bytes that are there whatever the jobs are (SRS, the program itself): charged to the budget.
  std::uint64_t resident_bytes = 0;

  // The capacity in force: `channel`, or max(lookahead, prove_workers, 1).
  std::uint32_t capacity() const;
};

// Whether the fields are in range and go together. Errors name the option.
Result<void> check(const Options& options);

}  // namespace prover
