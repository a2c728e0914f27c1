// SPDX-License-Identifier: Apache-2.0
// The work behind the engine's seams, and the jobs for it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "prover/bench/options.hpp"
#include "prover/work/groth16_work.hpp"

namespace prover::bench {

class Load {
 public:
  // Opens the circuit's key, or makes and keeps it first (key_cache.hpp; `go_on` is told how far
  // that is), or touches the memory of the synthetic work. Errors: a key that cannot be had or does
  // not fit, ErrorKind::cancelled.
  static Result<std::unique_ptr<Load>> open(
      const LoadOptions& options, const work::Settings& settings,
      const std::function<bool(double)>& go_on = [](double) { return true; });

  Work& work() const { return *work_; }
  Device& device() const { return *device_; }
  // The job of this number, from 0: another witness for each of its partitions.
  Result<JobSpec> job(std::uint32_t number, std::uint32_t partitions) const;
  // Bytes that are there as long as the program runs and that no resource of a job is.
  std::uint64_t resident_bytes() const;
  // Null with synthetic work.
  const std::shared_ptr<const work::Circuit>& circuit() const { return circuit_; }
  // What a reader of the figures must know: a key that was made by this process.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  explicit Load(const LoadOptions& options) : options_(options) {}
  Result<void> open_synthetic();
  Result<std::string> key_path(const std::function<bool(double)>& go_on);
  Result<void> open_circuit(const work::Settings& settings,
                            const std::function<bool(double)>& go_on);

  const LoadOptions options_;
  std::unique_ptr<SyntheticWork> synthetic_;
  std::shared_ptr<const work::Circuit> circuit_;
  std::unique_ptr<work::Groth16Work> groth16_;
  Work* work_ = nullptr;
  Device* device_ = nullptr;
  std::vector<std::string> warnings_;
};

}  // namespace prover::bench
