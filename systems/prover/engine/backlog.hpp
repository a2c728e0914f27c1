// SPDX-License-Identifier: Apache-2.0
// The partitions that nobody works on yet, and which of them is next.
// Not synchronised: the engine's lock guards it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "prover/engine/options.hpp"
#include "prover/engine/work.hpp"

namespace prover {

class Backlog {
 public:
  // jobs_at_once  jobs between the first pop() and the end of their last synthesis; nothing: any
  Backlog(Order order, std::optional<std::uint32_t> jobs_at_once)
      : order_(order), jobs_at_once_(jobs_at_once) {}

  // The partitions 0..count-1 of a job that was not added before; job ids rise.
  void add(JobId job, std::int32_t priority, std::uint32_t count);
  // priority: the first partition of the first job of the highest priority. fifo: the job at the
  // head of the line puts up one partition and joins its end, so that jobs in flight share the
  // engine evenly (and all finish late). Nothing also while jobs_at_once keeps all that wait out.
  std::optional<Task> pop();
  bool ready() const { return next() != line_.end(); }
  // The synthesis of a partition that was popped has ended, one way or the other.
  void synthesised(JobId job);
  // Forgets what is left of a job.
  void remove(JobId job);
  bool holds(JobId job) const;
  // Whether none of a job's partitions was popped.
  bool holds_all(JobId job) const;
  std::uint64_t size() const { return size_; }  // partitions

 private:
  using Rank = std::pair<std::int64_t, std::uint64_t>;
  struct Entry {
    JobId job;
    std::uint32_t next, count;
  };
  using Line = std::map<Rank, Entry>;

  Line::const_iterator next() const;

  const Order order_;
  const std::optional<std::uint32_t> jobs_at_once_;
  Line line_;
  std::uint64_t turn_ = 0;
  std::uint64_t size_ = 0;
  std::map<JobId, std::uint32_t> open_;  // jobs in synthesis: partitions not synthesised yet
};

}  // namespace prover
