// SPDX-License-Identifier: Apache-2.0
#include "experiment/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "experiment/order.hpp"
#include "experiment/warnings.hpp"

namespace assay::experiment {
namespace {

constexpr std::uint32_t kPilotRuns = 2;  // per side, --exact
constexpr auto kNoLimit = std::numeric_limits<std::uint32_t>::max();

std::vector<std::uint32_t> all_arms(const Plan& plan) {
  std::vector<std::uint32_t> arms(plan.arms.size());
  std::iota(arms.begin(), arms.end(), 0u);
  return arms;
}

// The first size after `runs` at which the rule may look, or nothing.
std::optional<std::uint32_t> look_after(std::uint32_t runs, std::uint32_t max_runs) {
  for (const std::uint32_t look : verdict::kLooks)
    if (look > runs) return look <= max_runs ? std::optional(look) : std::nullopt;
  return std::nullopt;
}

}  // namespace

Compare::Compare(Plan plan)
    : plan_(std::move(plan)),
      arms_(all_arms(plan_)),
      pairs_(plan_),
      stages_(plan_),
      blocks_(plan_, [this](std::uint32_t block) { return schedule(block); }) {}

std::vector<Run> Compare::schedule(std::uint32_t block) const {
  if (!plan_.run.exact)
    return block == 0 ? warmup_runs(plan_.seed, plan_.id_for_order, arms_)
                      : shuffled_block(plan_.seed, plan_.id_for_order, block, arms_, kRunsPerArm);
  // Counters do not average over layouts, they must not see them: an environment of one length.
  auto runs = shuffled_block(plan_.seed, plan_.id_for_order, block, arms_,
                             block == 0 ? kPilotRuns : kRunsPerArm);
  for (Run& run : runs) {
    run.warmup = block == 0;
    run.pad = 0;
  }
  return runs;
}

Step Compare::next(std::span<const Entry> entries, std::size_t jobs_in_flight) {
  if (!ended_by_)
    blocks_.read(entries, [this](std::uint32_t block, std::span<const Trial* const> trials) {
      return end_block(block, trials);
    });
  if (blocks_.failure()) ended_by_ = EndedBy::failure;
  const bool stopped = is_stopped(entries);
  if (ended_by_ || stopped) {
    Conclusion conclusion = plain_conclusion(plan_, entries, blocks_, ended_by_);
    if (blocks_.failure()) return conclusion;
    conclusion.findings = pairs_.findings();
    conclusion.stages = stages_.findings();
    conclusion.overall = worst_of(conclusion.findings, plan_);
    conclusion.withheld = pairs_.control_moved();
    conclusion.warnings = warnings_of(plan_, entries, conclusion.findings);
    return conclusion;
  }
  if (jobs_in_flight > 0) return Wait{};
  return blocks_.missing();
}

bool Compare::end_block(std::uint32_t block, std::span<const Trial* const> trials) {
  if (block == 0 && plan_.run.exact) pairs_.add_pilot(trials);
  if (block > 0) {
    pairs_.add_block(trials);
    if (plan_.events) stages_.add_block(trials);
  }
  ended_by_ = ending();
  return !ended_by_;
}

std::uint32_t Compare::runs_within_budget() const {
  const auto block_seconds = blocks_.block_seconds();
  if (plan_.time_budget_s <= 0 || !block_seconds || *block_seconds <= 0) return kNoLimit;
  const double left = std::max(0.0, plan_.time_budget_s - blocks_.seconds_used());
  const double blocks = std::floor(left / *block_seconds);
  return runs_per_side() + (blocks > 1e6 ? 6000000u : 6 * static_cast<std::uint32_t>(blocks));
}

std::optional<EndedBy> Compare::ending() const {
  if (pairs_.broken_gate() != nullptr) return EndedBy::failure;
  if (!pairs_.any_open_gate()) return EndedBy::decided;
  const auto next_look = look_after(runs_per_side(), plan_.max_runs);
  if (!next_look) return EndedBy::max_runs;
  if (*next_look > runs_within_budget()) return EndedBy::time_budget;
  if (pairs_.all_open_gates_futile(std::min(plan_.max_runs, runs_within_budget())))
    return EndedBy::futility;
  return std::nullopt;
}

Progress Compare::progress() const {
  Progress progress{.blocks_done = blocks_.blocks_done(),
                    .runs_done = blocks_.runs_done(),
                    .seconds_used = blocks_.seconds_used(),
                    .seconds_left = {},
                    .block_seconds = blocks_.block_seconds(),
                    .findings = {}};
  if (progress.blocks_done > 0) progress.findings = pairs_.findings();
  if (!progress.block_seconds) return progress;
  std::uint32_t target = 12;  // the first size at which a family of two can claim anything
  for (const Pair& pair : pairs_.all()) {
    if (!pair.gating || !pair.is_open() || !pair.test || pair.test->looks().empty()) continue;
    target = std::max(target, pair.test->reading().more.value_or(plan_.max_runs));
  }
  target = std::min({target, plan_.max_runs, runs_within_budget()});
  const std::uint32_t left = target > runs_per_side() ? (target - runs_per_side() + 5) / 6 : 1;
  progress.seconds_left = left * *progress.block_seconds;
  return progress;
}

}  // namespace assay::experiment
