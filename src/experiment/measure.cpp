// SPDX-License-Identifier: Apache-2.0
#include "experiment/measure.hpp"

#include "experiment/order.hpp"
#include "experiment/warnings.hpp"

namespace assay::experiment {
namespace {
constexpr std::uint32_t kLeastRuns = 6;
constexpr std::uint32_t kDurableEvery = 30;  // runs between two syncs of the store
}  // namespace

Measure::Measure(Plan plan)
    : plan_(std::move(plan)),
      blocks_(plan_, [this](std::uint32_t block) { return schedule(block); }) {}

// A block is one run: the budget is looked at after each.
std::vector<Run> Measure::schedule(std::uint32_t block) const {
  if (block == 0) return warmup_runs(plan_.seed, plan_.id_for_order, {0});
  return shuffled_block(plan_.seed, plan_.id_for_order, block, {0}, 1);
}

std::optional<EndedBy> Measure::ending() const {
  if (blocks_.blocks_done() >= plan_.runs) return EndedBy::runs_done;
  const double next_end = blocks_.seconds_used() + blocks_.block_seconds().value_or(0);
  if (plan_.time_budget_s > 0 && next_end > plan_.time_budget_s &&
      blocks_.blocks_done() >= kLeastRuns)
    return EndedBy::time_budget;
  return std::nullopt;
}

Step Measure::next(std::span<const Entry> entries, std::size_t jobs_in_flight) {
  if (!ended_by_)
    blocks_.read(entries, [this](std::uint32_t, std::span<const Trial* const>) {
      ended_by_ = ending();
      return !ended_by_;
    });
  if (blocks_.failure()) ended_by_ = EndedBy::failure;
  const bool stopped = is_stopped(entries);
  if (ended_by_ || stopped) return plain_conclusion(plan_, entries, blocks_, ended_by_);
  if (jobs_in_flight > 0) return Wait{};
  Job job = blocks_.missing();
  job.ends_block = (blocks_.blocks_done() + 1) % kDurableEvery == 0;
  return job;
}

Progress Measure::progress() const {
  Progress progress{.blocks_done = blocks_.blocks_done(),
                    .runs_done = blocks_.runs_done(),
                    .seconds_used = blocks_.seconds_used(),
                    .seconds_left = {},
                    .block_seconds = blocks_.block_seconds(),
                    .findings = {}};
  if (progress.block_seconds && plan_.runs >= progress.blocks_done) {
    progress.seconds_left = *progress.block_seconds * (plan_.runs - progress.blocks_done);
    if (plan_.time_budget_s > 0)
      progress.seconds_left = std::min(*progress.seconds_left,
                                       std::max(0.0, plan_.time_budget_s - progress.seconds_used));
  }
  return progress;
}

}  // namespace assay::experiment
