// SPDX-License-Identifier: Apache-2.0
// Work and Device with a meter between them and the engine: what CPU time each of their calls
// takes, of the thread that calls. Two readings of the thread's clock for each call, a microsecond.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>

#include "prover/engine/work.hpp"

namespace prover::bench {

enum class Step { load, synth, upload, start, finish, check };
inline constexpr std::size_t kSteps = 6;
inline constexpr const char* kStepNames[kSteps] = {"load",  "synthesis", "upload",
                                                   "start", "finish",    "check"};

struct StepCpu {
  double seconds = 0;
  std::uint64_t calls = 0;
};
using StepCpus = std::array<StepCpu, kSteps>;

// CPU time of this process so far, all threads, in seconds.
double process_cpu_s();

class Metered final : public Work, public Device {
 public:
  Metered(Work& work, Device& device) : work_(work), device_(device) {}

  StepCpus cpus() const;

  std::vector<ResourceNeed> needs(const JobSpec& spec) const override { return work_.needs(spec); }
  Footprint footprint(const JobSpec& spec, const Task& task) const override {
    return work_.footprint(spec, task);
  }
  Result<ResourcePtr> load(const JobSpec& spec, const ResourceNeed& need,
                           const std::stop_token& stop) override;
  Result<std::unique_ptr<Assignment>> synthesize(const Source& source,
                                                 const std::stop_token& stop) override;
  std::vector<Result<void>> check(std::span<const Claim> claims) override;
  Result<std::unique_ptr<DeviceProof>> upload(const Source& source,
                                              std::unique_ptr<Assignment> assignment) override;

  class Reading;

 private:
  struct Meter {
    std::atomic<std::uint64_t> nanoseconds{0}, calls{0};
  };
  Work& work_;
  Device& device_;
  std::array<Meter, kSteps> meters_;
};

}  // namespace prover::bench
