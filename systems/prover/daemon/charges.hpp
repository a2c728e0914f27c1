// SPDX-License-Identifier: Apache-2.0
// What the memory budget holds before the first job, and whether it leaves room for one: asked by
// the daemon at its start and at every submission, and by `prover config --check`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "prover/daemon/config.hpp"
#include "prover/daemon/job.hpp"

namespace prover::daemon {

struct FixedCharges {
  std::uint64_t program = 0;    // measured, and what its threads will take; whole MiB
  std::uint64_t witnesses = 0;  // [limits] witness-memory
  std::uint64_t total() const { return program + witnesses; }
};

// Measured now: after the circuits and the journal were opened, before the engine starts.
FixedCharges fixed_charges(const Config& config, ResidentMemory& memory);

// Errors: too_large, when nothing is left for jobs. Without a budget everything fits.
Result<void> check_budget(std::optional<std::uint64_t> budget, const FixedCharges& fixed);
// Errors: too_large, when a partition of the job, alone with what it needs loaded, never fits.
Result<void> check_fit(std::optional<std::uint64_t> budget, const FixedCharges& fixed,
                       const Work& work, const std::string& circuit, const JobSpec& spec);
// Both, for every circuit of the configuration.
Result<void> check_memory(std::optional<std::uint64_t> budget, const FixedCharges& fixed,
                          const Work& work, const Circuits& circuits);

}  // namespace prover::daemon
