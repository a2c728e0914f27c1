// SPDX-License-Identifier: Apache-2.0
#include "experiment/rounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "experiment/order.hpp"
#include "experiment/warnings.hpp"
#include "stats/order.hpp"
#include "stats/signed_rank.hpp"

namespace assay::experiment {
namespace {

// An arm may be far slower than the others (a level of a sweep), so its first run has much time.
double first_limit(double longest) {
  return longest > 0 ? std::max(100 * longest, longest + 60) : 0;
}

}  // namespace

Rounds::Rounds(const Plan& plan)
    : plan_(plan),
      warmups_(static_cast<std::uint32_t>(plan.arms.size())),
      logs_(plan.arms.size()),
      values_(plan.arms.size()),
      memory_(plan.arms.size()),
      blocks_(
          plan, [this](std::uint32_t block) { return schedule(block); },
          Blocks::OnFailure::drop_arm) {
  for (std::uint32_t m = 0; m < plan.metrics.size(); ++m) {
    if (plan.metrics[m].gating) gate_ = m;
    if (plan.metrics[m].name == "peak_mem") memory_metric_ = m;
  }
}

std::vector<Run> Rounds::schedule(std::uint32_t block) const {
  // The first block is scheduled while `blocks_` is made.
  const double longest = block == 0 ? 0 : blocks_.longest_run();
  if (block < warmups_) {
    auto runs = warmup_runs(plan_.seed, plan_.id_for_order, {block});
    for (Run& run : runs) {
      run.block = block;
      run.limit_s = first_limit(longest);
    }
    return runs;
  }
  auto runs = shuffled_block(plan_.seed, plan_.id_for_order, block, arms(), 1);
  for (Run& run : runs) run.limit_s = blocks_.hang_limit();
  return runs;
}

void Rounds::read(std::span<const Entry> entries) {
  if (ended_by_) return;
  blocks_.read(entries, [this](std::uint32_t block, std::span<const Trial* const> trials) {
    return end_block(block, trials);
  });
  if (blocks_.failure()) ended_by_ = EndedBy::failure;
}

bool Rounds::end_block(std::uint32_t block, std::span<const Trial* const> trials) {
  const bool warmup = block < warmups_;
  for (const Trial* trial : trials) take(*trial, warmup);
  if (!warmup) ++done_;
  // Every arm is tried once, so that all that fail are told.
  if (block + 1 >= warmups_ && arms().size() < 2)
    ended_by_ = EndedBy::failure;
  else if (!warmup && done_ >= plan_.runs)
    ended_by_ = EndedBy::runs_done;
  else if (over_budget())
    ended_by_ = EndedBy::time_budget;
  return !ended_by_;
}

void Rounds::take(const Trial& trial, bool warmup) {
  const Metric& metric = plan_.metrics[gate_];
  const auto value = gate_ < trial.values.size() ? trial.values[gate_] : std::nullopt;
  if (!value || !std::isfinite(*value)) {
    break_arm(trial.arm, fmt::format("gave no {}", metric.name));
  } else if (*value <= 0) {
    break_arm(trial.arm, fmt::format("gave {} = {:g}, and ratios need values above zero",
                                     metric.name, *value));
  } else if (!warmup) {
    round_seconds_ += std::chrono::duration<double>(trial.duration).count();
    const double log = std::log(*value);
    logs_[trial.arm].push_back(metric.better == Better::higher ? -log : log);
    values_[trial.arm].push_back(*value);
    if (!memory_metric_ || *memory_metric_ >= trial.values.size()) return;
    const auto bytes = trial.values[*memory_metric_];
    if (bytes && std::isfinite(*bytes) && *bytes > 0) memory_[trial.arm].push_back(*bytes);
  }
}

void Rounds::break_arm(std::uint32_t arm, const std::string& why) {
  if (!is_broken(arm)) valueless_.push_back({arm, true, why});
}

bool Rounds::is_broken(std::uint32_t arm) const {
  return blocks_.is_broken(arm) ||
         std::ranges::find(valueless_, arm, &BrokenArm::arm) != valueless_.end();
}

bool Rounds::over_budget() const {
  if (plan_.time_budget_s <= 0) return false;
  const double next = done_ > 0 ? round_seconds_ / done_ : 0;
  return blocks_.seconds_used() + next > plan_.time_budget_s;
}

std::vector<std::uint32_t> Rounds::arms() const {
  std::vector<std::uint32_t> arms;
  for (std::uint32_t arm = 0; arm < plan_.arms.size(); ++arm)
    if (!is_broken(arm)) arms.push_back(arm);
  return arms;
}

std::vector<BrokenArm> Rounds::broken() const {
  std::vector<BrokenArm> all(blocks_.broken().begin(), blocks_.broken().end());
  all.insert(all.end(), valueless_.begin(), valueless_.end());
  std::ranges::sort(all, {}, &BrokenArm::arm);
  return all;
}

std::span<const double> Rounds::memory(std::uint32_t arm) const {
  return memory_[arm].size() == done_ ? std::span<const double>(memory_[arm])
                                      : std::span<const double>();
}

ArmFinding Rounds::against(std::uint32_t arm, std::uint32_t reference, double level) const {
  ArmFinding found{.arm = arm, .runs = done_};
  found.median = stats::median(values_[arm]).value_or(0);
  std::vector<double> changes(done_);
  for (std::size_t r = 0; r < done_; ++r) changes[r] = logs_[arm][r] - logs_[reference][r];
  found.effect = arm == reference ? Estimate{0, 0.0, 0.0} : estimate_of(changes, level);
  const auto own = memory(arm), others = memory(reference);
  if (own.empty()) return found;
  found.memory = stats::median(own);
  if (others.empty()) return found;
  for (std::size_t r = 0; r < done_; ++r) changes[r] = std::log(own[r] / others[r]);
  found.memory_effect = arm == reference ? Estimate{0, 0.0, 0.0} : estimate_of(changes, level);
  return found;
}

Progress Rounds::progress() const {
  Progress progress{.blocks_done = blocks_.blocks_done(),
                    .runs_done = blocks_.runs_done(),
                    .seconds_used = blocks_.seconds_used(),
                    .seconds_left = {},
                    .block_seconds = {},
                    .findings = {}};
  if (done_ > 0) {
    progress.block_seconds = round_seconds_ / done_;
    progress.seconds_left = *progress.block_seconds * (plan_.runs - done_);
    if (plan_.time_budget_s > 0)
      progress.seconds_left = std::min(*progress.seconds_left,
                                       std::max(0.0, plan_.time_budget_s - progress.seconds_used));
  }
  progress.status =
      done_ == 0 && blocks_.blocks_done() + 1 < warmups_
          ? fmt::format("warming up, {} of {}", blocks_.runs_done(), warmups_)
          : fmt::format("round {} of {}", std::min(done_ + 1, plan_.runs), plan_.runs);
  return progress;
}

Estimate estimate_of(std::span<const double> differences, double level) {
  if (differences.empty()) return {};
  const auto found = stats::signed_rank(differences, level);
  return {found.estimate, found.lo, found.hi};
}

std::vector<Warning> round_warnings(const Plan& plan, std::span<const Entry> entries) {
  auto warnings = warnings_of(plan, entries, {});
  // Rounds take drift out; arms are meant to differ in what they print; the others speak of sides.
  std::erase_if(warnings, [](const Warning& warning) {
    return warning.kind != WarningKind::contention && warning.kind != WarningKind::short_runs &&
           warning.kind != WarningKind::torn_log && warning.kind != WarningKind::left_behind &&
           warning.kind != WarningKind::exit_codes;
  });
  return warnings;
}

Conclusion round_conclusion(const Plan& plan, const Rounds& rounds, std::span<const Entry> entries,
                            std::string_view arm) {
  Conclusion conclusion;
  conclusion.ended_by = rounds.ended_by().value_or(EndedBy::interrupted);
  conclusion.broken = rounds.broken();
  conclusion.warnings = round_warnings(plan, entries);
  if (conclusion.ended_by != EndedBy::failure) return conclusion;
  conclusion.overall = Verdict::failed;
  conclusion.failure = rounds.blocks().failure() ? rounds.blocks().failure()->text
                       : rounds.arms().empty()   ? fmt::format("no {} runs", arm)
                                                 : fmt::format("only one {} runs", arm);
  return conclusion;
}

}  // namespace assay::experiment
