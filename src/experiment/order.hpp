// SPDX-License-Identifier: Apache-2.0
// The order of runs inside a block (rule.md section 1): six runs of every arm, uniformly shuffled.
// The labels depend on the seed, the benchmark id and the block alone, never on what was measured:
// that is what makes the false-alarm bound a theorem.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/job.hpp"

namespace assay::experiment {

inline constexpr std::uint32_t kRunsPerArm = 6;

// `per_arm` runs of each of `arms` (indices into Plan::arms) as block number `block` >= 1, each
// with its random padding of 0..4095 bytes.
std::vector<Run> shuffled_block(std::uint64_t seed, std::string_view benchmark_id,
                                std::uint32_t block, const std::vector<std::uint32_t>& arms,
                                std::uint32_t per_arm);

// One discarded run of every arm in turn, block 0.
std::vector<Run> warmup_runs(std::uint64_t seed, std::string_view benchmark_id,
                             const std::vector<std::uint32_t>& arms);

}  // namespace assay::experiment
