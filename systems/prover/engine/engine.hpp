// SPDX-License-Identifier: Apache-2.0
// The proving engine: jobs of partitions through synthesis, a bounded queue and the prove workers.
//
//   submit -> batch collector -> backlog
//          -> dispatcher (a slot, a permit, what it needs loaded, then bytes)
//          -> synthesis workers -> channel
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

#include "prover/engine/alarms.hpp"
#include "prover/engine/backlog.hpp"
#include "prover/engine/batch.hpp"
#include "prover/engine/blocking_queue.hpp"
#include "prover/engine/cache.hpp"
#include "prover/engine/channel.hpp"
#include "prover/engine/job.hpp"
#include "prover/engine/log.hpp"
#include "prover/engine/reaper.hpp"

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

// Counters that only rise, since the engine started.
struct Totals {
  std::uint64_t jobs_submitted = 0;
  std::uint64_t jobs_done = 0, jobs_failed = 0;  // with a proof; with any error
  // Of the failed ones, by their error; handed_back: ErrorKind::draining.
  std::uint64_t jobs_cancelled = 0, jobs_deadline = 0, jobs_handed_back = 0, jobs_self_check = 0;
  std::uint64_t partitions_proved = 0;
  std::uint64_t batches = 0;  // that were released, with Options::batch > 1
};

// The engine at a moment: Totals, what is where, and what is held.
struct Snapshot : Totals {
  std::uint64_t jobs_in_flight = 0;      // submitted and not answered
  std::uint64_t jobs_collecting = 0;     // of them: waiting for their batch
  std::uint64_t partitions_waiting = 0;  // in the backlog
  std::uint64_t partitions_freeing = 0;  // proved, and not yet freed
  FlightCounts in_flight;
  Flight::Peaks peaks;
  std::uint64_t reserved = 0, reserved_peak = 0;  // bytes, everything included
  Charges charges;                                // what the reserved ones are for
  CacheCounts cache;
  std::uint32_t permits_taken = 0, slots_taken = 0;
  std::uint64_t log_dropped = 0;  // lines
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
  // Refuses new jobs from now on, and lets batches go that wait for more.
  void close();
  // close(), then waits until every job has ended and everything is free.
  void drain();
  // Ends what can end soon, for a service that stops: refuses new jobs; jobs that nobody has
  // begun to work on end with ErrorKind::draining (their on_done is called as ever) and are
  // returned, in their order; the others go on to their end. Waits like drain(); cancel_all()
  // hurries it.
  std::vector<JobId> hand_back();

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

  using JobGroup = std::vector<JobPtr>;  // jobs that are finalised together

  void spawn();
  void dispatch();
  void synthesise(int worker);
  void prove(int worker);
  void finalise();

  JobPtr take_next(Task& task);
  Result<void> admit(Partition& partition);
  Result<void> pin_resources(Partition& partition);
  Result<void> check_fit(const JobSpec& spec, const std::vector<ResourceNeed>& needs) const;
  Result<void> synthesise_one(PartitionPtr& partition, int worker);
  void synthesis_ended(Partition& partition);
  Result<PartProof> prove_one(Partition& partition, int worker);
  Result<void> start_on_device(Partition& partition, int worker,
                               std::unique_lock<std::mutex>& device);
  void leave_device(Partition& partition, int worker, std::unique_lock<std::mutex>& device);
  void finalise_group(const JobGroup& jobs);
  std::vector<Result<Proof>> checked_proofs(const JobGroup& jobs);
  Result<Proof> assemble(Job& job);
  void answer(const JobPtr& job, JobOutcome outcome);

  // The end of a partition's way: releases it, then tells its job. A null partition is ignored.
  void end(PartitionPtr partition, Result<PartProof> result);
  // Gives the job its error unless it has one (then false), and throws out what waits of it.
  bool fail_job(const JobPtr& job, const Error& error);
  void fail_engine(const Error& error, const Holdings& held);
  Holdings holdings();
  void at_deadline(JobId id);
  void release_due_batches();
  // mutex_ is held in these.
  void release(JobGroup jobs);
  void release_all_batches();
  std::vector<JobGroup> ready_to_finalise(const JobPtr& job);

  const Options options_;
  Work& work_;
  Device& device_;
  ResidentMemory& resident_;

  Log log_;
  const Events events_;
  ByteBudget budget_;
  Reservation resident_bytes_;
  ResourceCache cache_;
  Permits permits_, slots_;
  Flight flight_;
  Channel channel_;
  BlockingQueue<PartitionPtr> to_synthesise_;
  BlockingQueue<JobGroup> to_finalise_;
  Reaper reaper_;
  std::mutex device_lock_;

  mutable std::mutex mutex_;
  std::condition_variable backlog_changed_, job_ended_;
  Collector collector_;
  Backlog backlog_;
  std::map<JobId, JobPtr> jobs_;
  std::uint64_t last_job_ = 0;
  bool accepting_ = true, stopping_ = false;
  Totals totals_;
  std::optional<Fatal> fatal_;

  std::thread dispatcher_, finaliser_;
  std::vector<std::thread> synthesis_, provers_;
  Alarms alarms_;  // last: they use all of the above
};

}  // namespace prover
