// SPDX-License-Identifier: Apache-2.0
// The partitions that nobody works on yet, and which of them is next.
// Not synchronised: the engine's lock guards it.
#pragma once

#include <cstdint>
#include <list>
#include <optional>

#include "prover/engine/options.hpp"
#include "prover/engine/work.hpp"

namespace prover {

class Backlog {
 public:
  explicit Backlog(Order order) : order_(order) {}

  // The partitions 0..count-1 of a job that was not added before; job ids rise.
  void add(JobId job, std::uint32_t count);
  // priority: the first partition of the first job. fifo: the job at the head of the line puts up
  // one partition and joins its end, so that jobs in flight share the engine evenly (and all finish
  // late).
  std::optional<Task> pop();
  // Forgets what is left of a job.
  void remove(JobId job);
  bool empty() const { return line_.empty(); }

 private:
  struct Entry {
    JobId job;
    std::uint32_t next, count;
  };

  const Order order_;
  std::list<Entry> line_;
};

}  // namespace prover
