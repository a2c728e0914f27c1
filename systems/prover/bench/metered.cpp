// SPDX-License-Identifier: Apache-2.0
#include "prover/bench/metered.hpp"

#include <ctime>
#include <utility>

namespace prover::bench {
namespace {

std::uint64_t clock_ns(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000000000u +
         static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace

// From its making to its end, of this thread.
class Metered::Reading {
 public:
  Reading(Metered& metered, Step step)
      : meter_(metered.meters_[static_cast<std::size_t>(step)]),
        begin_(clock_ns(CLOCK_THREAD_CPUTIME_ID)) {}
  ~Reading() {
    meter_.nanoseconds.fetch_add(clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin_,
                                 std::memory_order_relaxed);
    meter_.calls.fetch_add(1, std::memory_order_relaxed);
  }
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;

 private:
  Meter& meter_;
  std::uint64_t begin_;
};

namespace {

class MeteredProof final : public DeviceProof {
 public:
  MeteredProof(Metered& metered, std::unique_ptr<DeviceProof> proof)
      : metered_(metered), proof_(std::move(proof)) {}

  Result<void> start(const std::stop_token& stop) override {
    const Metered::Reading reading(metered_, Step::start);
    return proof_->start(stop);
  }
  void free_vectors() override { proof_->free_vectors(); }
  Result<PartProof> finish(const std::stop_token& stop) override {
    const Metered::Reading reading(metered_, Step::finish);
    return proof_->finish(stop);
  }

 private:
  Metered& metered_;
  std::unique_ptr<DeviceProof> proof_;
};

}  // namespace

double process_cpu_s() { return static_cast<double>(clock_ns(CLOCK_PROCESS_CPUTIME_ID)) / 1e9; }

StepCpus Metered::cpus() const {
  StepCpus all;
  for (std::size_t i = 0; i < kSteps; ++i)
    all[i] = {static_cast<double>(meters_[i].nanoseconds.load()) / 1e9, meters_[i].calls.load()};
  return all;
}

Result<ResourcePtr> Metered::load(const JobSpec& spec, const ResourceNeed& need,
                                  const std::stop_token& stop) {
  const Reading reading(*this, Step::load);
  return work_.load(spec, need, stop);
}

Result<std::unique_ptr<Assignment>> Metered::synthesize(const Source& source,
                                                        const std::stop_token& stop) {
  const Reading reading(*this, Step::synth);
  return work_.synthesize(source, stop);
}

std::vector<Result<void>> Metered::check(std::span<const Claim> claims) {
  const Reading reading(*this, Step::check);
  return work_.check(claims);
}

Result<std::unique_ptr<DeviceProof>> Metered::upload(const Source& source,
                                                     std::unique_ptr<Assignment> assignment) {
  const Reading reading(*this, Step::upload);
  auto proof = device_.upload(source, std::move(assignment));
  if (!proof) return fail(proof.error());
  return std::unique_ptr<DeviceProof>(std::make_unique<MeteredProof>(*this, std::move(*proof)));
}

}  // namespace prover::bench
