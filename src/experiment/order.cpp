// SPDX-License-Identifier: Apache-2.0
#include "experiment/order.hpp"

#include <utility>

#include "base/random.hpp"

namespace assay::experiment {
namespace {

constexpr std::uint64_t kPadBytes = 4096;

Random generator(std::uint64_t seed, std::string_view benchmark_id, std::uint32_t block) {
  return Random(seed ^ fnv1a64(benchmark_id) ^ block);
}

}  // namespace

std::vector<Run> shuffled_block(std::uint64_t seed, std::string_view benchmark_id,
                                std::uint32_t block, const std::vector<std::uint32_t>& arms,
                                std::uint32_t per_arm) {
  std::vector<Run> runs;
  runs.reserve(arms.size() * per_arm);
  for (const std::uint32_t arm : arms)
    for (std::uint32_t i = 0; i < per_arm; ++i) runs.push_back({.arm = arm, .block = block});
  Random random = generator(seed, benchmark_id, block);
  for (std::size_t k = runs.size(); k-- > 1;) std::swap(runs[k], runs[random.below(k + 1)]);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    runs[i].slot = static_cast<std::uint32_t>(i);
    runs[i].pad = static_cast<std::uint32_t>(random.below(kPadBytes));
  }
  return runs;
}

std::vector<Run> warmup_runs(std::uint64_t seed, std::string_view benchmark_id,
                             const std::vector<std::uint32_t>& arms) {
  Random random = generator(seed, benchmark_id, 0);
  std::vector<Run> runs;
  for (const std::uint32_t arm : arms)
    runs.push_back({.arm = arm,
                    .block = 0,
                    .slot = static_cast<std::uint32_t>(runs.size()),
                    .pad = static_cast<std::uint32_t>(random.below(kPadBytes)),
                    .warmup = true});
  return runs;
}

}  // namespace assay::experiment
