// SPDX-License-Identifier: Apache-2.0
// What the workers and the finaliser do. The dispatcher is in engine_dispatch.cpp.
#include <fmt/format.h>

#include <utility>

#include "prover/engine/engine.hpp"
#include "prover/engine/names.hpp"
#include "prover/engine/steps.hpp"

namespace prover {
namespace {

using assay::emit::Kind;
using assay::emit::Span;

std::string name_of(const Task& task) {
  return fmt::format("partition {} of job {:08x}", task.partition,
                     static_cast<std::uint64_t>(task.job));
}

}  // namespace

void Engine::synthesise(int worker) {
  assay::emit::name_thread("synth", worker);
  for (;;) {
    auto popped = to_synthesise_.pop();
    if (!popped) return;
    PartitionPtr partition = std::move(*popped);
    auto done = guarded([&] { return synthesise_one(partition, worker); });
    if (done) continue;
    end(std::move(partition), fail(done.error()));
  }
}

// Leaves `partition` null once it is sent.
Result<void> Engine::synthesise_one(PartitionPtr& partition, int worker) {
  Partition& part = *partition;
  if (part.stopped()) return fail(stopped_error());
  part.flight = Flight::Token(flight_, Place::synthesising);
  part.times.synth_start = timeline_.mark(part.task, {.name = "SYNTH_START", .worker = worker});
  {
    const Span service(names().synth, Kind::service, part.item());
    auto assignment = work_.synthesize(part.source(), part.job->stop.get_token());
    if (!assignment) {
      Error error = assignment.error();
      error.where = "synthesis of " + name_of(part.task);
      return fail(std::move(error));
    }
    part.assignment = std::move(*assignment);
  }
  budget_.reconcile(resident_);  // a partition holds the most now and after its start
  part.times.synth_end = timeline_.mark(part.task, {.name = "SYNTH_END",
                                                    .worker = worker,
                                                    .duration = "synth_ms",
                                                    .since = part.times.synth_start});
  if (options_.permit_scope == PermitScope::send) part.sender = worker;
  part.flight.move_to(Place::unsent);
  if (options_.permit_scope == PermitScope::synthesis) part.permit.release();
  const bool sent = options_.permit_scope == PermitScope::send ? channel_.send(partition)
                                                               : channel_.send_later(partition);
  if (!sent) return fail(stopped_error());
  return {};
}

void Engine::prove(int worker) {
  assay::emit::name_thread("prove", worker);
  for (;;) {
    PartitionPtr partition;
    {
      const Span starved(names().prove, Kind::starved);
      partition = channel_.receive(worker);
    }
    if (!partition) return;
    auto part = guarded([&] { return prove_one(*partition, worker); });
    end(std::move(partition), std::move(part));
  }
}

Result<PartProof> Engine::prove_one(Partition& partition, int worker) {
  if (partition.stopped()) return fail(stopped_error());
  const auto named = [&](Error error) {
    error.where = "proving of " + name_of(partition.task);
    return fail(std::move(error));
  };
  auto device = device_.upload(partition.source(), std::move(partition.assignment));
  if (!device) return named(device.error());
  partition.device = std::move(*device);
  if (auto started = start_on_device(partition, worker); !started) return named(started.error());
  budget_.reconcile(resident_);
  if (options_.early_free) {
    partition.device->free_vectors();
    partition.reservation.release_part(partition.footprint.vectors);
  }
  if (partition.stopped()) return fail(stopped_error());
  Result<PartProof> part = [&] {
    const Span service(names().prove_finish, Kind::service, partition.item());
    return partition.device->finish(partition.job->stop.get_token());
  }();
  partition.times.finish_end =
      timeline_.mark(partition.task, {.name = "GPU_END",
                                      .worker = worker,
                                      .duration = "gpu_ms",
                                      .since = partition.times.prove_start});
  if (!part) return named(part.error());
  return part;
}

Result<void> Engine::start_on_device(Partition& partition, int worker) {
  std::unique_lock device(device_lock_, std::defer_lock);
  {
    const Span waits(names().prove, Kind::lock_wait, partition.item());
    device.lock();
  }
  if (partition.stopped()) return fail(stopped_error());
  partition.times.prove_start =
      timeline_.mark(partition.task, {.name = "GPU_START", .worker = worker});
  Result<void> started = [&] {
    const Span service(names().prove_start, Kind::service, partition.item());
    return partition.device->start(partition.job->stop.get_token());
  }();
  partition.times.start_end =
      timeline_.mark(partition.task, {.name = "GPU_FINISH",
                                      .worker = worker,
                                      .duration = "start_ms",
                                      .since = partition.times.prove_start});
  return started;
}

void Engine::finalise() {
  assay::emit::name_thread("finalise", 0);
  while (auto job = to_finalise_.pop()) finalise_one(*job);
}

// The proof is the parts of this job, all of them, in the order of the partitions.
Result<Proof> Engine::assemble(Job& job) {
  Proof proof{job.id, job.spec.partitions, {}};
  for (std::uint32_t i = 0; i < job.spec.partitions; ++i) {
    PROVER_CHECK(job.parts[i] && job.parts[i]->task == (Task{job.id, i}),
                 "a proof holds exactly its own partitions");
    proof.bytes.insert(proof.bytes.end(), job.parts[i]->bytes.begin(), job.parts[i]->bytes.end());
  }
  return proof;
}

// Nobody else touches a job that is being finalised, so its fields need no lock here.
void Engine::finalise_one(const std::shared_ptr<Job>& job) {
  JobOutcome outcome;
  outcome.job = job->id;
  outcome.submitted = job->submitted;
  outcome.partitions_proved = job->proved;
  outcome.error = job->error;
  outcome.times = std::move(job->times);
  if (!outcome.error) {
    auto proof = guarded([&] { return assemble(*job); });
    auto checked = proof ? guarded([&] {
      const Claim claim{job->spec, *proof};
      return work_.check(std::span(&claim, 1)).at(0);
    })
                         : Result<void>(fail(proof.error()));
    if (checked) {
      outcome.proof = std::move(*proof);
    } else {
      outcome.error = checked.error();
      if (outcome.error->kind == ErrorKind::out_of_memory) fail_engine(*outcome.error, holdings());
      outcome.error->where =
          fmt::format("self-check of job {:08x}", static_cast<std::uint64_t>(job->id));
    }
  }
  outcome.done = std::chrono::steady_clock::now();
  assay::emit::instant(outcome.error ? names().job_failed : names().proof_done,
                       {.job = static_cast<std::uint64_t>(job->id)});
  const bool failed = outcome.error.has_value();
  {
    const std::lock_guard lock(mutex_);
    ++(failed ? totals_.jobs_failed : totals_.jobs_done);
  }
  cache_.drop_job(job->id);
  if (job->on_done) job->on_done(std::move(outcome));
  const std::lock_guard lock(mutex_);
  jobs_.erase(job->id);
  job_ended_.notify_all();
}

}  // namespace prover
