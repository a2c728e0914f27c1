// SPDX-License-Identifier: Apache-2.0
// The dispatcher: gives each partition, in their order, what it needs to start. And what of that
// is asked for from outside: preloading, evicting, whether a job can fit at all.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "prover/base/text.hpp"
#include "prover/engine/engine.hpp"
#include "prover/engine/names.hpp"
#include "prover/engine/steps.hpp"

namespace prover {

using assay::emit::Kind;
using assay::emit::Span;

Result<ResourcePtr> Work::load(const JobSpec&, const ResourceNeed& need, const std::stop_token&) {
  return fail(ErrorKind::failed, "this work has no resources to load", need.name);
}

JobPtr Engine::take_next(Task& task) {
  std::unique_lock lock(mutex_);
  backlog_changed_.wait(lock, [&] { return stopping_ || backlog_.ready(); });
  const auto next = backlog_.pop();
  if (!next) return nullptr;
  task = *next;
  JobPtr job = jobs_.at(task.job);
  ++job->outstanding;
  return job;
}

void Engine::dispatch() {
  assay::emit::name_thread("dispatch", 0);
  Task task;
  while (JobPtr job = take_next(task)) {
    auto partition = std::make_unique<Partition>();
    partition->job = std::move(job);
    partition->task = task;
    if (auto ok = guarded([&] { return admit(*partition); }); ok) {
      to_synthesise_.push(std::move(partition));
    } else {
      end(std::move(partition), fail(ok.error()));
    }
  }
}

// Waits for a slot and a permit, then for what the partition needs loaded, then for its own bytes.
// In this order, because all of them are given out here alone, so what waits is kept from nobody,
// and because whoever has its bytes has everything and comes to its end (cache.hpp says why that
// matters).
Result<void> Engine::admit(Partition& partition) {
  const std::stop_token stop = partition.job->stop.get_token();
  partition.times.taken = std::chrono::steady_clock::now();
  const Span waits(names().synth, Kind::wait_permit, partition.item());
  auto slot = slots_.acquire(stop);
  if (!slot) return fail(stopped_error());
  partition.slot = std::move(*slot);
  auto permit = permits_.acquire(stop);
  if (!permit) return fail(stopped_error());
  partition.permit = std::move(*permit);
  partition.times.permitted = std::chrono::steady_clock::now();
  if (auto pinned = pin_resources(partition); !pinned) return pinned;
  partition.footprint = work_.footprint(partition.job->spec, partition.task);
  budget_.reconcile(resident_);
  auto bytes = budget_.acquire(partition.footprint.total(), stop);
  if (!bytes) return fail(stopped_error());
  partition.reservation = std::move(*bytes);
  partition.times.reserved = std::chrono::steady_clock::now();
  return {};
}

Result<void> Engine::pin_resources(Partition& partition) {
  const Job& job = *partition.job;
  const auto load = [&](const ResourceNeed& need, const std::stop_token& stop) {
    return work_.load(job.spec, need, stop);
  };
  for (const ResourceNeed& need : job.needs) {
    auto pin = cache_.pin(need, job.id, load, job.stop.get_token(), ResourceCache::Bytes::wait);
    if (!pin) {
      Error error = pin.error();
      error.where = fmt::format(
          "loading of {}{}", need.name,
          error.where.empty() || error.where == need.name ? std::string() : ": " + error.where);
      return fail(std::move(error));
    }
    partition.resources.push_back(pin->resource());
    partition.pins.push_back(std::move(*pin));
  }
  return {};
}

Result<void> Engine::check_fit(const JobSpec& spec, const std::vector<ResourceNeed>& needs) const {
  if (!options_.memory_budget) return {};
  const std::uint64_t free = *options_.memory_budget - options_.resident_bytes;
  std::uint64_t loaded = 0;
  for (const ResourceNeed& need : needs) loaded += need.bytes;
  for (std::uint32_t i = 0; i < spec.partitions; ++i) {
    const std::uint64_t own = work_.footprint(spec, {JobId{}, i}).total();
    if (own + loaded <= free) continue;
    const std::string with =
        loaded == 0 ? std::string()
                    : fmt::format(" and {} of keys and circuits loaded", show_bytes(loaded));
    return fail(
        ErrorKind::too_large,
        fmt::format("partition {} of a job needs {}{}; the budget of {} leaves {} beside the {} "
                    "that are resident ({}the program itself)",
                    i, show_bytes(own), with, show_bytes(*options_.memory_budget), show_bytes(free),
                    show_bytes(options_.resident_bytes), loaded == 0 ? "keys and " : ""),
        "--memory-budget",
        fmt::format("it would never run: give at least {}",
                    show_bytes(own + loaded + options_.resident_bytes + (1u << 20))));
  }
  return {};
}

// One resource after the other and none pinned meanwhile: see cache.hpp.
Result<void> Engine::preload(const JobSpec& spec) {
  if (options_.srs == SrsPolicy::per_job)
    return fail(ErrorKind::usage, "nothing stays loaded with --srs per-job", "preload",
                "start with --srs resident");
  const std::vector<ResourceNeed> needs = work_.needs(spec);
  if (auto fits = check_fit(spec, needs); !fits) return fits;
  const auto load = [&](const ResourceNeed& need, const std::stop_token& stop) {
    return work_.load(spec, need, stop);
  };
  for (const ResourceNeed& need : needs)
    if (auto pin = cache_.pin(need, JobId{}, load, {}, ResourceCache::Bytes::at_once); !pin)
      return fail(pin.error());
  return {};
}

Result<void> Engine::evict(const std::string& name) { return cache_.evict(name); }

std::vector<CachedResource> Engine::resident() const { return cache_.list(); }

}  // namespace prover
