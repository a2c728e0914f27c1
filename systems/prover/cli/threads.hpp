// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "prover/base/parallel.hpp"
#include "prover/cli/command.hpp"

namespace prover::cli {

inline constexpr std::uint64_t kMostThreads = 1024;

// What --threads says, or as many as there are processors for this process.
inline Result<unsigned> threads_of(const Arguments& arguments) {
  const auto threads = arguments.count("threads", 1, kMostThreads);
  if (!threads) return fail(threads.error());
  return static_cast<unsigned>(threads->value_or(available_threads()));
}

}  // namespace prover::cli
