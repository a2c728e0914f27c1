// SPDX-License-Identifier: Apache-2.0
// The proving engine: jobs of partitions through synthesis, a bounded queue and the prove workers.
//
//   submit -> backlog -> dispatcher (a permit, then bytes) -> synthesis workers -> channel
//          -> prove workers: upload, start under the device lock, free a/b/c, finish
//          -> finaliser: assembles the parts of a job, checks the proof, answers
//
// A partition is one object that moves from owner to owner and carries its bytes, its permit and
// its memory; wherever its way ends, its destructor gives all of them back. The engine's lock
// guards the table of jobs and is held for moments only, never during work.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "prover/engine/backlog.hpp"
#include "prover/engine/blocking_queue.hpp"
#include "prover/engine/cache.hpp"
#include "prover/engine/channel.hpp"
#include "prover/engine/job.hpp"

namespace prover {

// What the engine holds at a moment.
struct Holdings {
  FlightCounts in_flight;
  std::uint64_t reserved = 0, resident = 0;  // bytes
};

// Why the engine came to an end by itself, and what it held at that moment.
struct Fatal {
  Error error;
  Holdings held;
};

struct Snapshot {
  std::uint64_t jobs_done = 0, jobs_failed = 0,
                partitions_proved = 0;  // failed: cancelled ones too
  std::uint64_t jobs_in_flight = 0;
  FlightCounts in_flight;
  Flight::Peaks peaks;
  std::uint64_t reserved = 0, reserved_peak = 0;  // bytes, everything included
  Charges charges;                                // what the reserved ones are for
  CacheCounts cache;
  std::uint32_t permits_taken = 0;
  std::optional<Fatal> fatal;
};

class Engine {
 public:
  // Starts the threads. Work, Device, Timeline and ResidentMemory outlive the engine.
  static Result<std::unique_ptr<Engine>> start(const Options& options, Work& work, Device& device,
                                               Timeline& timeline, ResidentMemory& resident);
  // Cancels what is left and waits for it.
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // Takes a job, or refuses: too_large when one of its partitions and what it needs loaded can
  // never fit the budget, usage without partitions, draining after drain() or a fatal error.
  Result<JobId> submit(const JobSpec& spec, OnDone on_done);
  // Whether the job was there to be cancelled; its on_done follows when all is released.
  bool cancel(JobId job);
  void cancel_all();
  // Refuses new jobs from now on.
  void close();
  // close(), then waits until every job has ended.
  void drain();

  // Loads what such a job needs, before one comes. Errors: the load's; too_large; exhausted when
  // the bytes are in use now; usage with SrsPolicy::per_job, where nothing stays.
  Result<void> preload(const JobSpec& spec);
  // Throws a loaded resource out. Errors: not_found; exhausted while partitions use it.
  Result<void> evict(const std::string& name);
  std::vector<CachedResource> resident() const;

  Snapshot snapshot() const;

 private:
  Engine(const Options& options, Work& work, Device& device, Timeline& timeline,
         ResidentMemory& resident);

  void spawn();
  void dispatch();
  void synthesise(int worker);
  void prove(int worker);
  void finalise();

  std::shared_ptr<Job> take_next(Task& task);
  Result<void> admit(Partition& partition);
  Result<void> pin_resources(Partition& partition);
  Result<void> check_fit(const JobSpec& spec, const std::vector<ResourceNeed>& needs) const;
  Result<void> synthesise_one(PartitionPtr& partition, int worker);
  Result<PartProof> prove_one(Partition& partition, int worker);
  Result<void> start_on_device(Partition& partition, int worker);
  void finalise_one(const std::shared_ptr<Job>& job);
  Result<Proof> assemble(Job& job);

  // The end of a partition's way: releases it, then tells its job. A null partition is ignored.
  void end(PartitionPtr partition, Result<PartProof> result);
  // Gives the job its error unless it has one, and throws out what waits of it.
  void fail_job(const std::shared_ptr<Job>& job, const Error& error);
  void fail_engine(const Error& error, const Holdings& held);
  Holdings holdings();
  bool ready_to_finalise(Job& job);  // mutex_ is held

  const Options options_;
  Work& work_;
  Device& device_;
  Timeline& timeline_;
  ResidentMemory& resident_;

  ByteBudget budget_;
  Reservation resident_bytes_;
  ResourceCache cache_;
  Permits permits_;
  Flight flight_;
  Channel channel_;
  BlockingQueue<PartitionPtr> to_synthesise_;
  BlockingQueue<std::shared_ptr<Job>> to_finalise_;
  std::mutex device_lock_;

  mutable std::mutex mutex_;
  std::condition_variable backlog_changed_, job_ended_;
  Backlog backlog_;
  std::map<JobId, std::shared_ptr<Job>> jobs_;
  std::uint64_t last_job_ = 0;
  bool accepting_ = true, stopping_ = false;
  Snapshot totals_;  // the three counters and `fatal`

  std::thread dispatcher_, finaliser_;
  std::vector<std::thread> synthesis_, provers_;
};

}  // namespace prover
