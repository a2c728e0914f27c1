// SPDX-License-Identifier: Apache-2.0
#include "prover/daemon/charges.hpp"

#include <fmt/format.h>

#include "prover/base/text.hpp"

namespace prover::daemon {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

// What comes after the measurement: gRPC's server and its threads, SQLite's cache (2 MiB), and the
// stack and malloc's arena of each worker. Measured beside key and partitions: 7 MiB with 5 workers
// and eight clients whose messages have 2 MiB each, 12 MiB with 41 workers and small messages.
constexpr std::uint64_t kHeadroom = 8 * kMiB, kHeadroomPerWorker = 128u << 10;

std::uint64_t whole_mib(std::uint64_t bytes) { return (bytes + kMiB - 1) / kMiB * kMiB; }

// The ways out when `needed` is more than the budget.
std::string ways_out(std::uint64_t budget, std::uint64_t needed, const FixedCharges& fixed) {
  const bool enough = budget + fixed.witnesses > needed;
  return fmt::format("raise [engine] memory-budget to \"{}MiB\" or more{}",
                     whole_mib(needed) / kMiB, enough ? ", or lower [limits] witness-memory" : "");
}

}  // namespace

FixedCharges fixed_charges(const Config& config, ResidentMemory& memory) {
  const Options& engine = config.engine.engine;
  const std::uint64_t workers = std::uint64_t{engine.partition_workers} + engine.prove_workers;
  return {whole_mib(memory.sample() + kHeadroom + workers * kHeadroomPerWorker),
          config.limits.witness_bytes};
}

Result<void> check_budget(std::optional<std::uint64_t> budget, const FixedCharges& fixed) {
  if (!budget || fixed.total() < *budget) return {};
  return fail(
      ErrorKind::too_large,
      fmt::format("the budget of {} leaves nothing for jobs: the program takes {}, "
                  "[limits] witness-memory {}",
                  show_bytes(*budget), show_bytes(fixed.program), show_bytes(fixed.witnesses)),
      "[engine] memory-budget", ways_out(*budget, fixed.total() + 1, fixed));
}

Result<void> check_fit(std::optional<std::uint64_t> budget, const FixedCharges& fixed,
                       const Work& work, const std::string& circuit, const JobSpec& spec) {
  if (!budget) return {};
  std::uint64_t resources = 0;
  for (const ResourceNeed& need : work.needs(spec)) resources += need.bytes;
  const std::uint64_t partition = work.footprint(spec, {JobId{}, 0}).total();
  const std::uint64_t all = resources + partition + fixed.total();
  if (all <= *budget) return {};
  return fail(ErrorKind::too_large,
              fmt::format("a partition needs {}, its key and circuit {}, the program {} and "
                          "[limits] witness-memory {}: together more than the budget of {}",
                          show_bytes(partition), show_bytes(resources), show_bytes(fixed.program),
                          show_bytes(fixed.witnesses), show_bytes(*budget)),
              fmt::format("circuit '{}'", printable(circuit)), ways_out(*budget, all, fixed));
}

Result<void> check_memory(std::optional<std::uint64_t> budget, const FixedCharges& fixed,
                          const Work& work, const Circuits& circuits) {
  if (auto left = check_budget(budget, fixed); !left) return left;
  for (const CircuitStatus& circuit : circuits.list()) {
    const auto spec = circuits.resources_of(circuit.name);
    if (!spec) return fail(spec.error());
    if (auto fits = check_fit(budget, fixed, work, circuit.name, *spec); !fits) return fits;
  }
  return {};
}

}  // namespace prover::daemon
