// SPDX-License-Identifier: Apache-2.0
// Jobs: taken, collected, cancelled, drained, handed back. How they end is in engine_end.cpp, what
// the threads do in engine_dispatch.cpp and engine_workers.cpp.
#include "prover/engine/engine.hpp"

#include <fmt/format.h>

#include <limits>
#include <system_error>
#include <utility>

#include "prover/engine/names.hpp"

namespace prover {

Engine::Engine(const Options& options, Work& work, Device& device, Timeline& timeline,
               ResidentMemory& resident)
    : options_(options),
      work_(work),
      device_(device),
      resident_(resident),
      log_(options.log_sink),
      events_{timeline, log_},
      budget_(options.memory_budget),
      cache_(budget_, options.srs),
      permits_(options.partition_workers),
      slots_(options.slots.value_or(std::numeric_limits<std::uint32_t>::max())),
      flight_(resident),
      channel_(options.capacity(), options.order, events_),
      reaper_(options.async_free),
      collector_(options.batch, options.batch_wait),
      backlog_(options.order, options.synthesis_jobs) {}

Result<std::unique_ptr<Engine>> Engine::start(const Options& options, Work& work, Device& device,
                                              Timeline& timeline, ResidentMemory& resident) {
  if (auto ok = check(options); !ok) return fail(ok.error());
  declare_stages(options);
  try {
    std::unique_ptr<Engine> engine(new Engine(options, work, device, timeline, resident));
    auto bytes = engine->budget_.acquire(options.resident_bytes, {}, Charge::fixed);
    PROVER_CHECK(bytes.has_value(), "check() compared the resident bytes with the budget");
    engine->resident_bytes_ = std::move(*bytes);
    engine->spawn();
    return engine;
  } catch (const std::system_error& error) {
    return fail(ErrorKind::out_of_memory,
                fmt::format("cannot start {} threads: {}",
                            options.partition_workers + options.prove_workers + 3, error.what()),
                "engine", "give fewer --partition-workers or --prove-workers");
  }
}

void Engine::spawn() {
  dispatcher_ = std::thread([this] { dispatch(); });
  finaliser_ = std::thread([this] { finalise(); });
  for (std::uint32_t i = 0; i < options_.partition_workers; ++i)
    synthesis_.emplace_back([this, i] { synthesise(static_cast<int>(i)); });
  for (std::uint32_t i = 0; i < options_.prove_workers; ++i)
    provers_.emplace_back([this, i] { prove(static_cast<int>(i)); });
}

// Stage by stage, each after all that feeds it, so that nothing is left between them.
Engine::~Engine() {
  close();
  cancel_all();
  if (finaliser_.joinable()) drain();
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    backlog_changed_.notify_all();
  }
  if (dispatcher_.joinable()) dispatcher_.join();
  to_synthesise_.close();
  for (std::thread& worker : synthesis_) worker.join();
  channel_.close();
  for (std::thread& worker : provers_) worker.join();
  to_finalise_.close();
  if (finaliser_.joinable()) finaliser_.join();
}

Result<JobId> Engine::submit(const JobSpec& spec, OnDone on_done) {
  if (spec.partitions == 0)
    return fail(ErrorKind::usage, "a job has at least one partition", "job");
  auto job = std::make_shared<Job>();
  job->spec = spec;
  job->needs = work_.needs(spec);
  job->on_done = std::move(on_done);
  job->parts.resize(spec.partitions);
  job->times.resize(spec.partitions);
  if (auto fits = check_fit(spec, job->needs); !fits) return fail(fits.error());
  const std::lock_guard lock(mutex_);
  if (!accepting_) return fail(ErrorKind::draining, "the engine takes no new jobs", "engine");
  const JobId id{++last_job_};
  job->id = id;
  job->submitted = std::chrono::steady_clock::now();
  jobs_.emplace(id, job);
  ++totals_.jobs_submitted;
  if (spec.deadline) job->deadline = alarms_.set(*spec.deadline, [this, id] { at_deadline(id); });
  if (options_.batch == 1) {
    release({job});
  } else if (auto full = collector_.add(job)) {
    release(std::move(*full));
  } else {
    job->batch_due = alarms_.set(collector_.due(*job), [this] { release_due_batches(); });
  }
  return id;
}

void Engine::release(JobGroup jobs) {
  for (const JobPtr& job : jobs) {
    alarms_.clear(job->batch_due);
    backlog_.add(job->id, job->spec.priority, job->spec.partitions);
  }
  backlog_changed_.notify_one();
  if (options_.batch == 1) return;
  ++totals_.batches;
  const auto batch = std::make_shared<Batch>(Batch{std::move(jobs)});
  for (const JobPtr& job : batch->jobs) job->batch = batch;
}

void Engine::release_all_batches() {
  for (JobGroup& jobs : collector_.take_all()) release(std::move(jobs));
}

void Engine::release_due_batches() {
  const std::lock_guard lock(mutex_);
  for (JobGroup& jobs : collector_.take_due(std::chrono::steady_clock::now()))
    release(std::move(jobs));
}

void Engine::at_deadline(JobId id) {
  JobPtr job;
  {
    const std::lock_guard lock(mutex_);
    const auto found = jobs_.find(id);
    if (found == jobs_.end()) return;
    job = found->second;
  }
  fail_job(job, {"the job was not done by its deadline", "job", {}, ErrorKind::deadline});
}

bool Engine::cancel(JobId id) {
  JobPtr job;
  {
    const std::lock_guard lock(mutex_);
    const auto found = jobs_.find(id);
    if (found == jobs_.end() || found->second->finalising) return false;
    job = found->second;
  }
  fail_job(job, {"the job was cancelled", "job", {}, ErrorKind::cancelled});
  return true;
}

void Engine::cancel_all() {
  JobGroup all;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, job] : jobs_) all.push_back(job);
  }
  for (const auto& job : all)
    fail_job(job, {"the job was cancelled", "job", {}, ErrorKind::cancelled});
}

void Engine::close() {
  const std::lock_guard lock(mutex_);
  accepting_ = false;
  release_all_batches();
}

void Engine::drain() {
  close();
  {
    std::unique_lock lock(mutex_);
    job_ended_.wait(lock, [&] { return jobs_.empty(); });
  }
  reaper_.drain();
}

std::vector<JobId> Engine::hand_back() {
  JobGroup unfinished;
  {
    const std::lock_guard lock(mutex_);
    accepting_ = false;
    for (const auto& [id, job] : jobs_)
      if (backlog_.holds_all(id) || collector_.holds(*job)) unfinished.push_back(job);
  }
  std::vector<JobId> handed_back;
  for (const JobPtr& job : unfinished)
    if (fail_job(job, {"the engine stops and hands the job back", "job", {}, ErrorKind::draining}))
      handed_back.push_back(job->id);
  drain();
  return handed_back;
}

Snapshot Engine::snapshot() const {
  Snapshot snapshot;
  {
    const std::lock_guard lock(mutex_);
    static_cast<Totals&>(snapshot) = totals_;
    snapshot.fatal = fatal_;
    snapshot.jobs_in_flight = jobs_.size();
    snapshot.jobs_collecting = collector_.size();
    snapshot.partitions_waiting = backlog_.size();
  }
  snapshot.partitions_freeing = reaper_.pending();
  snapshot.in_flight = flight_.now();
  snapshot.peaks = flight_.peaks();
  snapshot.charges = budget_.charges();
  snapshot.reserved = snapshot.charges.total();
  snapshot.reserved_peak = budget_.peak();
  snapshot.cache = cache_.counts();
  snapshot.permits_taken = permits_.taken();
  snapshot.slots_taken = slots_.taken();
  snapshot.log_dropped = log_.dropped();
  return snapshot;
}

}  // namespace prover
