// SPDX-License-Identifier: Apache-2.0
// Batches: jobs of a kind that are collected until there are enough, or until the first of them
// has waited long enough, and are then released, proved one behind the other and checked together.
// Whoever fails or is cancelled leaves its batch, and the others go on without it.
// Not synchronised: the engine's lock guards them.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "prover/engine/job.hpp"

namespace prover {

using JobPtr = std::shared_ptr<Job>;

// Jobs that are answered together.
struct Batch {
  std::vector<JobPtr> jobs;
  void leave(const Job& job);
  // Whether every job of it is proved.
  bool is_whole() const;
};

class Collector {
 public:
  Collector(std::uint32_t size, std::chrono::milliseconds wait) : size_(size), wait_(wait) {}

  // Puts a job to those that need the same and have its priority. Returns their batch when it is
  // full now.
  std::optional<std::vector<JobPtr>> add(const JobPtr& job);
  // The batches whose first job has waited long enough at `now`.
  std::vector<std::vector<JobPtr>> take_due(TimePoint now);
  std::vector<std::vector<JobPtr>> take_all();
  void remove(const Job& job);
  bool holds(const Job& job) const;
  // When a batch goes of which this job is the first.
  TimePoint due(const Job& job) const { return job.submitted + wait_; }
  std::size_t size() const;  // jobs

 private:
  using Key = std::pair<std::int32_t, std::string>;  // priority, names of what is needed
  static Key key_of(const Job& job);

  const std::uint32_t size_;
  const std::chrono::milliseconds wait_;
  std::map<Key, std::vector<JobPtr>> open_;
};

}  // namespace prover
