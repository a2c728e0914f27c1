// SPDX-License-Identifier: Apache-2.0
// Jobs: taken, ended, failed, cancelled, drained. What the workers do is in engine_workers.cpp.
#include "prover/engine/engine.hpp"

#include <fmt/format.h>

#include <system_error>
#include <utility>

#include "prover/base/text.hpp"
#include "prover/engine/names.hpp"

namespace prover {

Engine::Engine(const Options& options, Work& work, Device& device, Timeline& timeline,
               ResidentMemory& resident)
    : options_(options),
      work_(work),
      device_(device),
      timeline_(timeline),
      resident_(resident),
      budget_(options.memory_budget),
      cache_(budget_, options.srs),
      permits_(options.partition_workers),
      flight_(resident),
      channel_(options.capacity(), options.order, timeline),
      backlog_(options.order) {}

Result<std::unique_ptr<Engine>> Engine::start(const Options& options, Work& work, Device& device,
                                              Timeline& timeline, ResidentMemory& resident) {
  if (auto ok = check(options); !ok) return fail(ok.error());
  declare_stages(options);
  std::unique_ptr<Engine> engine(new Engine(options, work, device, timeline, resident));
  auto bytes = engine->budget_.acquire(options.resident_bytes, {}, Charge::fixed);
  PROVER_CHECK(bytes.has_value(), "check() compared the resident bytes with the budget");
  engine->resident_bytes_ = std::move(*bytes);
  try {
    engine->spawn();
  } catch (const std::system_error& error) {
    return fail(ErrorKind::out_of_memory,
                fmt::format("cannot start {} threads: {}",
                            options.partition_workers + options.prove_workers + 2, error.what()),
                "engine", "give fewer --partition-workers or --prove-workers");
  }
  return engine;
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
  backlog_.add(id, spec.partitions);
  backlog_changed_.notify_one();
  return id;
}

bool Engine::cancel(JobId id) {
  std::shared_ptr<Job> job;
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
  std::vector<std::shared_ptr<Job>> all;
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
}

void Engine::drain() {
  std::unique_lock lock(mutex_);
  accepting_ = false;
  job_ended_.wait(lock, [&] { return jobs_.empty(); });
}

Snapshot Engine::snapshot() const {
  Snapshot snapshot;
  {
    const std::lock_guard lock(mutex_);
    snapshot = totals_;
    snapshot.jobs_in_flight = jobs_.size();
  }
  snapshot.in_flight = flight_.now();
  snapshot.peaks = flight_.peaks();
  snapshot.charges = budget_.charges();
  snapshot.reserved = snapshot.charges.total();
  snapshot.cache = cache_.counts();
  snapshot.reserved_peak = budget_.peak();
  snapshot.permits_taken = permits_.taken();
  return snapshot;
}

bool Engine::ready_to_finalise(Job& job) {
  const bool whole = !job.error && job.proved == job.spec.partitions;
  const bool failed = job.error && job.outstanding == 0;
  if (job.finalising || (!whole && !failed)) return false;
  return job.finalising = true;
}

void Engine::end(PartitionPtr partition, Result<PartProof> result) {
  if (!partition) return;
  const std::shared_ptr<Job> job = partition->job;
  const Task task = partition->task;
  const PartitionTimes times = partition->times;
  const bool no_memory = !result && result.error().kind == ErrorKind::out_of_memory;
  const Holdings held = no_memory ? holdings() : Holdings{};  // while it is still held
  partition.reset();  // all that it held is free before its job hears of it
  if (result && result->task != task)
    result =
        fail(ErrorKind::self_check,
             fmt::format("the device answered partition {} of job {} with the proof of another",
                         task.partition, static_cast<std::uint64_t>(task.job)));
  // Before the partition stops counting: a job that fails must not look whole or empty in between.
  if (!result) fail_job(job, result.error());
  if (no_memory) fail_engine(result.error(), held);
  bool finished = false;
  {
    const std::lock_guard lock(mutex_);
    --job->outstanding;
    if (result && !job->error) {
      PROVER_CHECK(!job->parts[task.partition], "a partition is proved once");
      job->parts[task.partition] = std::move(*result);
      job->times[task.partition] = times;
      ++job->proved;
      ++totals_.partitions_proved;
    }
    finished = ready_to_finalise(*job);
  }
  if (finished) to_finalise_.push(job);
}

void Engine::fail_job(const std::shared_ptr<Job>& job, const Error& error) {
  bool finished = false;
  {
    const std::lock_guard lock(mutex_);
    if (job->error || job->finalising) return;
    job->error = error;
    backlog_.remove(job->id);
    finished = ready_to_finalise(*job);
  }
  // Outside the lock: it wakes whoever waits for bytes or a permit for this job.
  job->stop.request_stop();
  for (PartitionPtr& partition : channel_.take_job(job->id))
    end(std::move(partition), fail(ErrorKind::cancelled, "the job has ended", "job"));
  if (finished) to_finalise_.push(job);
}

Holdings Engine::holdings() { return {flight_.now(), budget_.reserved(), resident_.sample()}; }

void Engine::fail_engine(const Error& error, const Holdings& held) {
  std::vector<std::shared_ptr<Job>> all;
  {
    const std::lock_guard lock(mutex_);
    if (totals_.fatal) return;
    totals_.fatal = Fatal{error, held};
    accepting_ = false;
    for (const auto& [id, job] : jobs_) all.push_back(job);
  }
  for (const auto& job : all)
    fail_job(job, {"the engine ran out of memory", "job", {}, ErrorKind::cancelled});
}

}  // namespace prover
