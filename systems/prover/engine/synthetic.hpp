// SPDX-License-Identifier: Apache-2.0
// Synthetic work: no arithmetic of proofs, but real time, real CPU and real memory, as configured,
// so that the engine's frame can be studied and tested before and beside the real prover. Every
// service time is drawn from (seed, job, partition, stage) alone: two runs with one seed do the
// same work whatever the scheduling.
#pragma once

#include <cstdint>
#include <memory>

#include "prover/engine/buffer.hpp"
#include "prover/engine/work.hpp"

namespace prover {

// One stage's service: its time is log-normal with this mean and coefficient of variation.
struct SyntheticStage {
  double mean_ms = 0;
  double cpu = 0;     // the part of the time, 0..1, that is CPU; the rest sleeps
  double factor = 1;  // an injected slow-down: 1.2 = 20 % more
};

struct SyntheticOptions {
  SyntheticStage synth{.mean_ms = 80, .cpu = 0.1};
  SyntheticStage start{.mean_ms = 25, .cpu = 0.1};  // exclusive on the device
  SyntheticStage finish{.mean_ms = 10, .cpu = 0.1};
  double cv = 0.1;
  std::uint64_t vectors = 8u << 20;  // bytes of a, b, c of a partition
  std::uint64_t witness = 2u << 20;  // bytes that a partition keeps until it is proved
  std::uint64_t srs = 16u << 20;     // bytes resident as long as the program runs
  std::uint64_t seed = 1;
};

enum class SyntheticStep { synth, start, finish };

// The service time of a step of a task, in milliseconds, injection included.
double service_ms(const SyntheticOptions& options, SyntheticStep step, const Task& task);

class SyntheticWork final : public Work, public Device {
 public:
  // Allocates and touches the SRS.
  static Result<std::unique_ptr<SyntheticWork>> create(const SyntheticOptions& options);

  Footprint footprint(const JobSpec& spec, const Task& task) const override;
  Result<std::unique_ptr<Assignment>> synthesize(const Source& source,
                                                 const std::stop_token& stop) override;
  Result<std::unique_ptr<DeviceProof>> upload(const Source& source,
                                              std::unique_ptr<Assignment> assignment) override;
  // Recomputes what the proof of each partition must be.
  std::vector<Result<void>> check(std::span<const Claim> claims) override;

 private:
  Result<void> check_one(const Proof& proof) const;
  explicit SyntheticWork(const SyntheticOptions& options) : options_(options) {}

  const SyntheticOptions options_;
  Buffer srs_;
};

}  // namespace prover
