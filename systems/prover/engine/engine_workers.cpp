// SPDX-License-Identifier: Apache-2.0
// What the synthesis and the prove workers do. The dispatcher is in engine_dispatch.cpp, the
// finaliser in engine_end.cpp.
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
  part.times.synth_start = events_.mark(part.task, {.name = "SYNTH_START", .worker = worker});
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
  synthesis_ended(part);
  budget_.reconcile(resident_);  // a partition holds the most now and after its start
  part.times.synth_end = events_.mark(part.task, {.name = "SYNTH_END",
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

void Engine::synthesis_ended(Partition& partition) {
  if (!std::exchange(partition.in_synthesis, false)) return;
  const std::lock_guard lock(mutex_);
  backlog_.synthesised(partition.task.job);
  backlog_changed_.notify_one();
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
  std::unique_lock device_turn(device_lock_, std::defer_lock);
  if (auto started = start_on_device(partition, worker, device_turn); !started)
    return named(started.error());
  if (options_.split) leave_device(partition, worker, device_turn);
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
  if (!options_.split) leave_device(partition, worker, device_turn);
  partition.times.finish_end = events_.mark(partition.task, {.name = "GPU_END",
                                                             .worker = worker,
                                                             .duration = "gpu_ms",
                                                             .since = partition.times.prove_start});
  if (!part) return named(part.error());
  return part;
}

Result<void> Engine::start_on_device(Partition& partition, int worker,
                                     std::unique_lock<std::mutex>& device) {
  {
    const Span waits(names().prove, Kind::lock_wait, partition.item());
    device.lock();
  }
  if (partition.stopped()) return fail(stopped_error());
  partition.times.prove_start =
      events_.mark(partition.task, {.name = "GPU_START", .worker = worker});
  Result<void> started = [&] {
    const Span service(names().prove_start, Kind::service, partition.item());
    return partition.device->start(partition.job->stop.get_token());
  }();
  if (!started) leave_device(partition, worker, device);
  return started;
}

void Engine::leave_device(Partition& partition, int worker, std::unique_lock<std::mutex>& device) {
  partition.times.start_end = events_.mark(partition.task, {.name = "GPU_FINISH",
                                                            .worker = worker,
                                                            .duration = "start_ms",
                                                            .since = partition.times.prove_start});
  device.unlock();
}

}  // namespace prover
