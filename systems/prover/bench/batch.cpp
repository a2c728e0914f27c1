// SPDX-License-Identifier: Apache-2.0
#include "prover/bench/batch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "prover/base/text.hpp"
#include "prover/bench/settings.hpp"

namespace prover::bench {
namespace {

// What stacks, malloc's arenas and the records of the partitions take beside the buffers that are
// charged one by one. Measured with empty buffers, from the start of the program to its peak: 0.6
// MiB for 5 workers and 150 partitions, 0.8 MiB for 40 workers, 2.1 MiB for 5 workers and 10,000
// partitions.
constexpr std::uint64_t kHeadroom = 1u << 20, kHeadroomPerThread = 32u << 10,
                        kHeadroomPerPartition = 256;

std::uint64_t headroom(const BatchOptions& options) {
  const std::uint64_t threads = std::uint64_t{options.settings.engine.partition_workers} +
                                options.settings.engine.prove_workers;
  return kHeadroom + threads * kHeadroomPerThread +
         std::uint64_t{options.jobs} * options.partitions * kHeadroomPerPartition;
}

}  // namespace

void StopRequests::request(int signal_number) {
  const std::lock_guard lock(mutex_);
  int none = 0;
  signal_.compare_exchange_strong(none, signal_number);
  ++count_;
  changed_.notify_all();
}

// The submitter: keeps so many jobs in flight until all are done or a stop comes.
class Batch {
 public:
  Batch(const BatchOptions& options, const Load& load, Engine& engine, StopRequests& stops)
      : options_(options), load_(load), engine_(engine), stops_(stops) {}

  Result<void> run(BatchResult& result) {
    result.begin = std::chrono::steady_clock::now();
    std::unique_lock lock(stops_.mutex_);
    while (wants_more(result)) {
      if (in_flight(result) < options_.jobs_at_once()) {
        lock.unlock();
        auto spec = load_.job(result.submitted, options_.partitions);
        if (!spec) return fail(spec.error());
        auto job = engine_.submit(*spec, [&](JobOutcome outcome) {
          const std::lock_guard guard(stops_.mutex_);
          result.outcomes.push_back(std::move(outcome));
          stops_.changed_.notify_all();
        });
        lock.lock();
        if (!job && job.error().kind != ErrorKind::draining) return fail(job.error());
        if (!job) break;  // the engine has come to an end; its snapshot says why
        ++result.submitted;
      } else {
        stops_.changed_.wait(lock);
      }
    }
    stops_.changed_.wait(lock, [&] { return in_flight(result) == 0 || stops_.count_ > 1; });
    lock.unlock();
    if (stops_.count_ > 1) engine_.cancel_all();
    engine_.drain();
    result.end = std::chrono::steady_clock::now();
    return {};
  }

 private:
  bool wants_more(const BatchResult& result) const {
    return result.submitted < options_.jobs && stops_.count_ == 0;
  }
  std::size_t in_flight(const BatchResult& result) const {
    return result.submitted - result.outcomes.size();
  }

  const BatchOptions& options_;
  const Load& load_;
  Engine& engine_;
  StopRequests& stops_;
};

namespace {

void note_warnings(const BatchOptions& options, BatchResult& result) {
  const auto bound = options.settings.engine.partition_workers + options.settings.engine.capacity();
  if (const auto peak = result.engine.peaks.before_proving; peak > bound)
    result.warnings.push_back(fmt::format(
        "{} partitions were in flight before the prove workers, and permits + capacity are {} + "
        "{}: "
        "{} finished ones waited in their sends, because the permit is given back before the send "
        "(--permit-scope synthesis)",
        peak, options.settings.engine.partition_workers, options.settings.engine.capacity(),
        result.engine.peaks.at[Place::unsent]));
  if (options.settings.engine.channel &&
      options.settings.engine.lookahead > *options.settings.engine.channel)
    result.warnings.push_back(
        fmt::format("--lookahead {} has no effect: --channel {} bounds the queue",
                    options.settings.engine.lookahead, *options.settings.engine.channel));
  if (options.settings.engine.memory_budget &&
      result.peak.bytes > *options.settings.engine.memory_budget)
    result.warnings.push_back(fmt::format(
        "the process held {} at its peak, more than the budget of {}, although never more than {} "
        "were reserved",
        show_bytes(result.peak.bytes), show_bytes(*options.settings.engine.memory_budget),
        show_bytes(result.engine.reserved_peak)));
  if (result.engine.reserved != 0 || result.engine.in_flight.total() != 0)
    result.warnings.push_back(
        fmt::format("{} are still reserved and {} partitions in flight after the last job",
                    show_bytes(result.engine.reserved), result.engine.in_flight.total()));
}

}  // namespace

Result<BatchResult> run_batch(const BatchOptions& options, const Load& load,
                              ResidentMemory& resident, Timeline& timeline, StopRequests& stops) {
  if (auto ok = check(options); !ok) return fail(ok.error());
  Options engine_options = options.settings.engine;
  engine_options.resident_bytes = load.resident_bytes() + resident.sample() + headroom(options);
  for (const auto& [name, value] : effective_settings(options)) {
    timeline.setting(name, value);
    assay::emit::setting(name.c_str(), value.c_str());
  }
  Metered metered(load.work(), load.device());
  auto engine = Engine::start(engine_options, metered, metered, timeline, resident);
  if (!engine) return fail(engine.error());
  BatchResult result;
  result.outcomes.reserve(options.jobs);
  const double cpu_before = process_cpu_s();
  if (auto ok = Batch(options, load, **engine, stops).run(result); !ok) return fail(ok.error());
  result.cpu_s = process_cpu_s() - cpu_before;
  result.cpus = metered.cpus();
  result.engine = (*engine)->snapshot();
  result.engine.reserved = result.engine.charges[Charge::partition];
  result.peak = resident.peak();
  result.signal_number = stops.signal_number();
  result.warnings = load.warnings();
  if (auto lost = timeline.trouble()) result.warnings.push_back(lost->to_text());
  note_warnings(options, result);
  return result;
}

}  // namespace prover::bench
