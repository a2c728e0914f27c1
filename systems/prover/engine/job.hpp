// SPDX-License-Identifier: Apache-2.0
// Jobs and their partitions as they travel through the engine.
#pragma once

#include <assay/trace.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "prover/engine/alarms.hpp"
#include "prover/engine/budget.hpp"
#include "prover/engine/cache.hpp"
#include "prover/engine/flight.hpp"
#include "prover/engine/permits.hpp"
#include "prover/engine/timeline.hpp"
#include "prover/engine/work.hpp"

namespace prover {

// When a partition passed each point; an epoch value where it never came.
struct PartitionTimes {
  TimePoint taken;      // by the dispatcher, which asks for a permit
  TimePoint permitted;  // has it, and asks for its resources, then for its bytes
  TimePoint reserved;   // has them, and goes to a synthesis worker
  TimePoint synth_start, synth_end;
  TimePoint sent;         // is in the queue
  TimePoint picked_up;    // by a prove worker, which asks for the device
  TimePoint prove_start;  // has it
  TimePoint start_end;    // gives it back
  TimePoint finish_end;
};

// How a job ended: with a checked proof, or with an error. Everything it held is free by then,
// or soon (Options::async_free).
struct JobOutcome {
  JobId job{};
  std::optional<Proof> proof;
  std::optional<Error> error;
  TimePoint submitted, done;
  std::vector<PartitionTimes> times;  // of the partitions that were proved, by partition
  std::uint32_t partitions_proved = 0;
};

// Called once a job, from a thread of the engine, one call at a time; may submit.
using OnDone = std::function<void(JobOutcome)>;

struct Batch;

// The engine's lock guards everything that is not const or `stop`.
struct Job {
  JobId id{};
  JobSpec spec;
  std::vector<ResourceNeed> needs;  // const
  OnDone on_done;
  TimePoint submitted;
  std::stop_source stop;  // requested when the job fails or is cancelled
  std::vector<std::optional<PartProof>> parts;
  std::vector<PartitionTimes> times;
  std::uint32_t proved = 0;
  std::uint32_t outstanding = 0;  // partitions between dispatcher and the end of their proving
  std::optional<Error> error;     // the first
  std::shared_ptr<Batch> batch;   // that it is answered with; null without batches
  Alarms::Id deadline, batch_due;
  bool finalising = false;

  bool is_whole() const { return !error && proved == spec.partitions; }
};

// A partition on its way, owned by whoever works on it. The order of the members is the order of
// release, backwards: memory first, then its place in the counts, its permit and its bytes.
struct Partition {
  std::shared_ptr<Job> job;
  Task task;
  Footprint footprint;
  PartitionTimes times;
  Reservation reservation;
  Permit slot, permit;
  std::vector<ResourceCache::Pin> pins;
  std::vector<ResourcePtr> resources;  // what is pinned
  bool in_synthesis = true;            // or before it
  std::optional<int> sender;           // the synthesis worker that stands in the send
  Flight::Token flight;
  std::optional<assay::emit::Span> waiting;  // in its send, then in the queue
  std::unique_ptr<Assignment> assignment;
  std::unique_ptr<DeviceProof> device;

  assay::emit::Item item() const { return {static_cast<std::uint64_t>(task.job), task.partition}; }
  Source source() const { return {task, job->spec, resources}; }
  bool stopped() const { return job->stop.stop_requested(); }
};

using PartitionPtr = std::unique_ptr<Partition>;

}  // namespace prover
