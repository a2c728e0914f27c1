// SPDX-License-Identifier: Apache-2.0
#include "prover/bench/loop.hpp"

#include <utility>

#include "prover/bench/resources.hpp"

namespace prover::bench {
namespace {

TimePoint now() { return std::chrono::steady_clock::now(); }

class Loop {
 public:
  Loop(Metered& metered, ResidentMemory& resident) : metered_(metered), resident_(resident) {}

  Result<JobOutcome> prove_job(JobId id, const JobSpec& spec, Resources& resources) {
    JobOutcome outcome;
    outcome.job = id;
    outcome.submitted = now();
    const auto loaded = resources.of(spec);
    if (!loaded) return fail(loaded.error());
    Proof proof{id, spec.partitions, {}};
    for (std::uint32_t i = 0; i < spec.partitions && !outcome.error; ++i) {
      auto part = prove_partition({{id, i}, spec, *loaded}, outcome.times.emplace_back());
      if (part) {
        proof.bytes.insert(proof.bytes.end(), part->bytes.begin(), part->bytes.end());
        ++outcome.partitions_proved;
      } else {
        outcome.error = part.error();
      }
    }
    if (!outcome.error) {
      const Claim claim{spec, proof};
      if (const auto checked = metered_.check({&claim, 1}).front(); !checked)
        outcome.error = checked.error();
    }
    if (!outcome.error) outcome.proof = std::move(proof);
    outcome.done = now();
    return outcome;
  }

 private:
  Result<PartProof> prove_partition(const Source& source, PartitionTimes& times) {
    times.taken = times.permitted = times.reserved = times.synth_start = now();
    auto assignment = metered_.synthesize(source, {});
    if (!assignment) return fail(assignment.error());
    times.synth_end = times.sent = times.picked_up = now();
    resident_.sample();
    auto device = metered_.upload(source, std::move(*assignment));
    if (!device) return fail(device.error());
    times.prove_start = now();
    if (auto ok = (*device)->start({}); !ok) return fail(ok.error());
    times.start_end = now();
    resident_.sample();
    (*device)->free_vectors();
    auto part = (*device)->finish({});
    times.finish_end = now();
    return part;
  }

  Metered& metered_;
  ResidentMemory& resident_;
};

}  // namespace

Result<BatchResult> run_loop(const BatchOptions& options, const Load& load,
                             ResidentMemory& resident, const StopRequests& stops) {
  if (auto ok = check(options); !ok) return fail(ok.error());
  Metered metered(load.work(), load.device());
  Resources resources(metered);
  Loop loop(metered, resident);
  BatchResult result;
  const double cpu_before = process_cpu_s();
  result.begin = now();
  while (result.submitted < options.jobs && stops.count() == 0) {
    const auto spec = load.job(result.submitted, options.partitions);
    if (!spec) return fail(spec.error());
    auto outcome = loop.prove_job(JobId{++result.submitted}, *spec, resources);
    if (!outcome) return fail(outcome.error());
    result.engine.partitions_proved += outcome->partitions_proved;
    ++(outcome->proof ? result.engine.jobs_done : result.engine.jobs_failed);
    result.outcomes.push_back(std::move(*outcome));
  }
  result.end = now();
  result.cpu_s = process_cpu_s() - cpu_before;
  result.cpus = metered.cpus();
  result.peak = resident.peak();
  result.signal_number = stops.signal_number();
  result.warnings = load.warnings();
  return result;
}

}  // namespace prover::bench
