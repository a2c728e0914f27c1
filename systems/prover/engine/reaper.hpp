// SPDX-License-Identifier: Apache-2.0
// What frees the memory of partitions that are done: whoever ends them, or a thread of its own
// (--async-free), so that a prove worker does not wait for large unmappings. Bytes, pins and slot
// of a partition go after its memory either way: with the thread they go later, and a job may be
// answered before its last partition is freed.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <thread>

#include "prover/engine/job.hpp"

namespace prover {

class Reaper {
 public:
  // Throws std::system_error when there is no thread to be had.
  explicit Reaper(bool thread);
  // Frees what is left.
  ~Reaper();
  Reaper(const Reaper&) = delete;
  Reaper& operator=(const Reaper&) = delete;

  // Frees the partition, now or soon; it leaves the flight and gives its permit back at once.
  void free(PartitionPtr partition);
  // Waits until everything is free.
  void drain();
  // Partitions that are not free yet.
  std::size_t pending() const;

 private:
  void run();

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<PartitionPtr> waiting_;
  std::size_t pending_ = 0;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace prover
