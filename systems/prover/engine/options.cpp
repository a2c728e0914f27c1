// SPDX-License-Identifier: Apache-2.0
#include "prover/engine/options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "prover/base/text.hpp"

namespace prover {
namespace {

constexpr std::uint32_t kMostWorkers = 1024, kMostQueued = 1u << 20, kMostBatch = 256;

Result<void> in_range(const char* option, std::uint32_t value, std::uint32_t low,
                      std::uint32_t high) {
  if (value >= low && value <= high) return {};
  return fail(ErrorKind::usage, fmt::format("{} is out of range", value), option,
              fmt::format("give a number from {} to {}", low, high));
}

}  // namespace

std::uint32_t Options::capacity() const {
  return channel ? *channel : std::max({lookahead, prove_workers, 1u});
}

Result<void> check(const Options& options) {
  if (auto ok = in_range("--partition-workers", options.partition_workers, 1, kMostWorkers); !ok)
    return ok;
  if (auto ok = in_range("--prove-workers", options.prove_workers, 1, kMostWorkers); !ok) return ok;
  if (auto ok = in_range("--lookahead", options.lookahead, 0, kMostQueued); !ok) return ok;
  if (auto ok = in_range("--channel", options.capacity(), 1, kMostQueued); !ok) return ok;
  if (auto ok = in_range("--slots", options.slots.value_or(1), 1, kMostQueued); !ok) return ok;
  if (auto ok = in_range("--synthesis-jobs", options.synthesis_jobs.value_or(1), 1, kMostQueued);
      !ok)
    return ok;
  if (auto ok = in_range("--batch", options.batch, 1, kMostBatch); !ok) return ok;
  if (options.memory_budget && *options.memory_budget <= options.resident_bytes)
    return fail(
        ErrorKind::too_large,
        fmt::format("{} are resident before the first job (keys and the program itself), and "
                    "the budget is {}",
                    show_bytes(options.resident_bytes), show_bytes(*options.memory_budget)),
        "--memory-budget", "give a larger budget, or smaller keys");
  return {};
}

}  // namespace prover
