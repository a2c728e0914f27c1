// SPDX-License-Identifier: Apache-2.0
#include "experiment/calibrate.hpp"

#include <cmath>
#include <numeric>

#include "experiment/order.hpp"
#include "experiment/warnings.hpp"

namespace assay::experiment {

Calibrate::Calibrate(Plan plan)
    : plan_(std::move(plan)),
      sides_(plan_.metrics.size(), std::vector<verdict::Calibration>(plan_.runs)),
      blocks_(plan_, [this](std::uint32_t block) { return schedule(block); }) {}

std::uint32_t Calibrate::copy_of(std::uint32_t comparison) const {
  return 1 + comparison % static_cast<std::uint32_t>(plan_.arms.size() - 1);
}

std::vector<Run> Calibrate::schedule(std::uint32_t block) const {
  if (block == 0) {
    std::vector<std::uint32_t> arms(plan_.arms.size());
    std::iota(arms.begin(), arms.end(), 0u);
    return warmup_runs(plan_.seed, plan_.id_for_order, arms);
  }
  const std::uint32_t comparison = (block - 1) / kBlocksPerFloor;
  return shuffled_block(plan_.seed, plan_.id_for_order, block, {0, copy_of(comparison)},
                        kRunsPerArm);
}

void Calibrate::end_block(std::uint32_t block, std::span<const Trial* const> trials) {
  const std::uint32_t comparison = (block - 1) / kBlocksPerFloor;
  for (std::size_t m = 0; m < plan_.metrics.size(); ++m) {
    verdict::Calibration& sides = sides_[m][comparison];
    for (const Trial* trial : trials)
      (trial->arm == 0 ? sides.a : sides.b).push_back(trial->values[m].value_or(0));
  }
}

Step Calibrate::next(std::span<const Entry> entries, std::size_t jobs_in_flight) {
  const std::uint32_t last = plan_.runs * kBlocksPerFloor;
  blocks_.read(entries, [&](std::uint32_t block, std::span<const Trial* const> trials) {
    if (block > 0) end_block(block, trials);
    return block < last;
  });
  const bool done = blocks_.blocks_done() >= last;
  const bool stopped = is_stopped(entries);
  if (done || stopped || blocks_.failure()) {
    auto ended_by = done ? std::optional(EndedBy::runs_done) : std::nullopt;
    if (blocks_.failure()) ended_by = EndedBy::failure;
    Conclusion conclusion = plain_conclusion(plan_, entries, blocks_, ended_by);
    if (done) conclusion.floors = floors();
    return conclusion;
  }
  if (jobs_in_flight > 0) return Wait{};
  return blocks_.missing();
}

std::vector<Conclusion::Floor> Calibrate::floors() const {
  std::vector<Conclusion::Floor> floors;
  for (std::uint32_t m = 0; m < plan_.metrics.size(); ++m) {
    const auto floor = verdict::estimate_floor(sides_[m]);
    if (!floor) continue;  // a metric that some run did not give, or that is not positive
    floors.push_back({m, floor->sys_sigma, floor->sys_k, floor->pair_sigma, floor->mdt_198});
  }
  return floors;
}

Progress Calibrate::progress() const {
  Progress progress{.blocks_done = blocks_.blocks_done(),
                    .runs_done = blocks_.runs_done(),
                    .seconds_used = blocks_.seconds_used(),
                    .seconds_left = {},
                    .block_seconds = blocks_.block_seconds(),
                    .findings = {}};
  if (progress.block_seconds)
    progress.seconds_left =
        *progress.block_seconds * (plan_.runs * kBlocksPerFloor - progress.blocks_done);
  return progress;
}

}  // namespace assay::experiment
