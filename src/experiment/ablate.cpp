// SPDX-License-Identifier: Apache-2.0
#include "experiment/ablate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "base/check.hpp"
#include "base/text.hpp"
#include "experiment/order.hpp"
#include "experiment/pairs.hpp"

namespace assay::experiment {
namespace {

constexpr double kAlpha = 0.01;
constexpr std::uint32_t kMostConfirming = 96;  // runs a side
constexpr double kLeastTolerance = 1e-4;
// Of what the best configuration would tell: a cheap run that tells next to nothing is no bargain.
constexpr double kLeastTold = 0.75;

std::uint32_t full_of(const Plan& plan) { return static_cast<std::uint32_t>(plan.arms.size()) - 1; }

unsigned changes_of(const Plan& plan) { return static_cast<unsigned>(plan.design->changes.size()); }

}  // namespace

Ablate::Ablate(Plan plan)
    : plan_(std::move(plan)),
      changes_(changes_of(plan_)),
      full_(full_of(plan_)),
      build_group_(build_groups(plan_)),
      adaptive_(plan_.design->adaptive || builds_differ(build_group_)),
      random_(plan_.seed ^ fnv1a64("ablate")),
      runs_(plan_),
      model_(changes_,
             {.nuisance = adaptive_ ? verdict::Nuisance::trend : verdict::Nuisance::rounds,
              .tolerance = plan_.tolerance}),
      group_warm_(plan_.arms.size(), false),
      memory_(plan_.arms.size()),
      next_arms_({0, full_}),
      reproduction_(plan_, {.plus = {full_}, .minus = {0}}, kAlpha, plan_.tolerance,
                    plan_.max_runs),
      blocks_(
          plan_, [this](std::uint32_t block) { return schedule(block); },
          Blocks::OnFailure::drop_arm) {
  for (std::size_t m = 0; m < plan_.metrics.size(); ++m)
    if (plan_.metrics[m].name == "peak_mem") memory_metric_ = m;
}

// --- runs

bool Ablate::needs_warm_up(std::uint32_t arm) const {
  return plan_.arms[arm].build && !group_warm_[build_group_[arm]];
}

std::vector<Run> Ablate::schedule(std::uint32_t block) const {
  if (phase_ == Phase::over) return {};
  std::vector<Run> runs;
  if (phase_ == Phase::warm_up) {
    runs = warmup_runs(plan_.seed, plan_.id_for_order, next_arms_);
  } else {
    for (const std::uint32_t arm : next_arms_) {
      const auto same = [&](const Run& run) { return build_group_[run.arm] == build_group_[arm]; };
      if (needs_warm_up(arm) && std::ranges::none_of(runs, same))
        runs.push_back({.arm = arm, .warmup = true});
    }
    const auto counted =
        shuffled_block(plan_.seed, plan_.id_for_order, block, next_arms_, next_per_arm_);
    runs.insert(runs.end(), counted.begin(), counted.end());
  }
  for (std::size_t i = 0; i < runs.size(); ++i) {
    runs[i].block = block;
    runs[i].slot = static_cast<std::uint32_t>(i);
    runs[i].limit_s = blocks_.hang_limit();
  }
  return runs;
}

void Ablate::run_next(std::vector<std::uint32_t> arms, std::uint32_t per_arm) {
  next_arms_ = std::move(arms);
  next_per_arm_ = per_arm;
}

double Ablate::cost_of(std::uint32_t arm) const {
  const double run = blocks_.mean_run().value_or(1);
  return needs_warm_up(arm) ? 2 * run + blocks_.mean_build() : run;
}

bool Ablate::can_afford(std::span<const std::uint32_t> arms, std::uint32_t per_arm) const {
  if (plan_.time_budget_s <= 0) return true;
  double cost = 0;
  for (const std::uint32_t arm : arms) cost += cost_of(arm) + (per_arm - 1) * cost_of(0);
  return blocks_.seconds_used() + cost <= plan_.time_budget_s;
}

bool Ablate::is_usable(std::uint32_t arm) const {
  return !runs_.is_broken(arm) && !blocks_.is_broken(arm) &&
         std::ranges::none_of(rules_, [&](const FailureRule& rule) { return covers(rule, arm); });
}

std::uint32_t Ablate::cap() const {
  return plan_.runs > 0 ? plan_.runs : most_runs(changes_, adaptive_);
}

Step Ablate::next(std::span<const Entry> entries, std::size_t jobs_in_flight) {
  if (phase_ != Phase::over)
    blocks_.read(entries, [this](std::uint32_t, std::span<const Trial* const> trials) {
      return end_block(trials);
    });
  const bool stopped = is_stopped(entries);
  if (phase_ == Phase::over || stopped || blocks_.failure()) return conclude(entries, stopped);
  if (jobs_in_flight > 0) return Wait{};
  return blocks_.missing();
}

void Ablate::take(std::span<const Trial* const> trials) {
  for (const Trial* trial : trials) {
    const std::size_t before = runs_.count(trial->arm);
    runs_.take(*trial);
    group_warm_[build_group_[trial->arm]] = true;
    if (runs_.count(trial->arm) == before) continue;
    const double value = runs_.logs(trial->arm).back();
    model_.add(trial->arm, value, model_round_);
    if (phase_ == Phase::design) design_.push_back({round_, trial->arm, value});
    if (memory_metric_ && *memory_metric_ < trial->values.size() && trial->values[*memory_metric_])
      memory_[trial->arm].push_back(*trial->values[*memory_metric_]);
  }
  runs_.take_broken(blocks_);
  if (runs_.broken().size() == rules_of_) return;
  rules_of_ = runs_.broken().size();
  std::vector<std::uint32_t> failed, good;
  for (std::uint32_t arm = 0; arm <= full_; ++arm) {
    if (runs_.is_broken(arm)) failed.push_back(arm);
    if (!runs_.is_broken(arm) && runs_.count(arm) > 0) good.push_back(arm);
  }
  rules_ = failure_rules(failed, good, changes_);
  if (!rules_.empty()) exclude_doubles();
}

// Where A never runs without B, "A and B" is A, and "A or B" is B.
void Ablate::exclude_doubles() {
  const auto& terms = model_.posterior().terms;
  const auto alike = [&](const verdict::SparseTerm& a, const verdict::SparseTerm& b) {
    for (std::uint32_t arm = 0; arm <= full_; ++arm)
      if (is_usable(arm) && a.is_on(arm) != b.is_on(arm)) return false;
    return true;
  };
  for (std::size_t t = 0; t < terms.size(); ++t) {
    if (!terms[t].is_pair()) continue;
    for (unsigned i = 0; i < changes_; ++i)
      if (alike(terms[t], terms[i])) model_.exclude(t);
  }
}

bool Ablate::end_block(std::span<const Trial* const> trials) {
  take(trials);
  switch (phase_) {
    case Phase::warm_up:
      phase_ = Phase::reproduce;
      if (runs_.is_broken(0) || runs_.is_broken(full_))
        after_reproduction({});
      else
        run_next({0, full_}, kRunsPerArm);
      break;
    case Phase::reproduce:
      after_reproduction(trials);
      break;
    case Phase::design:
      after_design_block();
      break;
    case Phase::confirm:
      after_confirmation(trials);
      break;
    case Phase::over:
      break;
  }
  return phase_ != Phase::over;
}

void Ablate::end(EndedBy why) {
  phase_ = Phase::over;
  if (!ended_by_) ended_by_ = why;
}

// The block's runs as logs, six of every arm of the test. False when some are missing.
bool Ablate::feed(ContrastTest& test, std::span<const Trial* const> trials) const {
  std::vector<std::vector<double>> logs;
  for (const std::uint32_t arm : test.contrast().arms()) {
    const auto all = runs_.logs(arm);
    const auto made = static_cast<std::size_t>(std::ranges::count_if(
        trials, [&](const Trial* trial) { return trial->arm == arm && !trial->warmup; }));
    if (runs_.is_broken(arm) || made != kRunsPerArm || all.size() < made) return false;
    logs.emplace_back(all.end() - static_cast<std::ptrdiff_t>(made), all.end());
  }
  test.add_block(logs);
  return true;
}

// --- does it reproduce?

void Ablate::after_reproduction(std::span<const Trial* const> trials) {
  for (const std::uint32_t arm : {0u, full_}) {
    if (!runs_.is_broken(arm)) continue;
    failure_ = fmt::format("{}: {}", arm == 0 ? "all off" : "all on",
                           std::ranges::find(runs_.broken(), arm, &BrokenArm::arm)->why);
    return end(EndedBy::failure);
  }
  feed(reproduction_, trials);
  const bool affordable = can_afford(next_arms_, kRunsPerArm);
  if (reproduction_.goes_on() && affordable) return;
  switch (reproduction_.verdict()) {
    case Verdict::slower:
      reproduced_ = Reproduced::yes;
      break;
    case Verdict::faster:
      reproduced_ = Reproduced::better;
      break;
    default:
      reproduced_ = affordable || !reproduction_.is_open() ? Reproduced::no : Reproduced::unknown;
  }
  const bool differs = reproduced_ == Reproduced::yes || reproduced_ == Reproduced::better;
  if (!affordable) return end(EndedBy::time_budget);
  if (!differs && !plan_.design->anyway) return end(EndedBy::decided);
  if (differs) model_.expect_something();
  phase_ = Phase::design;
  if (adaptive_) {
    model_.solve();
    begin_configuration();
  } else {
    begin_round();
  }
}

// --- the design

// The configurations of one round, with one all-off and one all-on run to see drift.
void Ablate::begin_round() {
  ++round_;
  ++model_round_;
  std::vector<std::uint32_t> arms = design_round(changes_, round_);
  arms.push_back(0);
  arms.push_back(full_);
  std::erase_if(arms, [&](std::uint32_t arm) { return runs_.is_broken(arm); });
  if (!can_afford(arms, 1)) {
    ended_by_ = EndedBy::time_budget;
    return begin_confirmation();
  }
  run_next(std::move(arms), 1);
}

// The configuration that tells most about which model is right, for its price.
void Ablate::begin_configuration() {
  ++round_;
  const auto told = verdict::information(model_.posterior(), changes_);
  const auto start = static_cast<std::uint32_t>(random_.below(plan_.arms.size()));
  std::optional<std::uint32_t> best;
  double most = -1;
  double highest = 0;
  for (std::uint32_t arm = 0; arm <= full_; ++arm)
    if (is_usable(arm)) highest = std::max(highest, told[arm]);
  for (std::uint32_t i = 0; i <= full_; ++i) {
    const std::uint32_t arm = i ^ start;  // ties fall at random
    if (!is_usable(arm) || told[arm] < kLeastTold * highest) continue;
    const double worth = told[arm] / cost_of(arm);
    if (worth > most) {
      most = worth;
      best = arm;
    }
  }
  if (!best || !can_afford(std::vector{*best}, 1)) {
    if (best) ended_by_ = EndedBy::time_budget;
    return begin_confirmation();
  }
  run_next({*best}, 1);
}

void Ablate::after_design_block() {
  design_runs_ = static_cast<std::uint32_t>(design_.size());
  model_.solve();
  if (design_runs_ >= least_runs(changes_) && model_.is_settled()) return begin_confirmation();
  const auto next = adaptive_ ? 1u : static_cast<std::uint32_t>(round_size(changes_)) + 2;
  // Rounds in which nothing ran count too: nothing but broken configurations must end as well.
  at_cap_ = design_runs_ + next > cap() || round_ > cap();
  if (at_cap_) return begin_confirmation();
  adaptive_ ? begin_configuration() : begin_round();
}

// --- confirmation

const Ablate::Confirmation* Ablate::confirmation_of(std::size_t term) const {
  for (const Confirmation& confirmation : confirmations_)
    if (confirmation.term == term) return &confirmation;
  return nullptr;
}

// A single in the context of the others as they are, or, where another cause hides it there, alone;
// a pair by its 2x2 among the others as they are.
Contrast Ablate::contrast_of(const verdict::SparseTerm& term) const {
  if (!term.is_pair()) {
    const double here = model_.posterior().contrast(full_, full_ & ~term.changes).value;
    const double alone = model_.posterior().contrast(term.changes, 0).value;
    if (std::fabs(here) < std::fabs(alone) / 2) return {.plus = {term.changes}, .minus = {0}};
    return {.plus = {full_}, .minus = {full_ & ~term.changes}};
  }
  const std::uint32_t first = term.changes & (~term.changes + 1), second = term.changes ^ first;
  return {.plus = {full_, full_ & ~term.changes}, .minus = {full_ & ~first, full_ & ~second}};
}

void Ablate::begin_confirmation() {
  phase_ = Phase::confirm;
  if (model_.posterior().runs == 0) return end(EndedBy::time_budget);
  const auto& found = model_.posterior();
  std::vector<std::size_t> open;
  std::size_t in = 0;
  for (std::size_t t = 0; t < found.terms.size(); ++t) {
    if (model_.state(t) != verdict::TermState::in) continue;
    ++in;
    if (confirmation_of(t) == nullptr && !is_sum_of_times(t)) open.push_back(t);
  }
  std::ranges::sort(open, {}, [&](std::size_t t) { return -std::fabs(found.effect[t]); });
  for (const std::size_t t : open) {
    Contrast contrast = contrast_of(found.terms[t]);
    const auto value = [&](std::uint32_t arm) { return found.contrast(arm, 0).value; };
    double expected = 0;
    for (const std::uint32_t arm : contrast.plus) expected += value(arm);
    for (const std::uint32_t arm : contrast.minus) expected -= value(arm);
    Confirmation confirmation{.term = t, .sign = expected < 0 ? -1.0 : 1.0};
    const auto arms = contrast.arms();
    const bool possible = std::ranges::all_of(arms, [&](auto arm) { return is_usable(arm); });
    if (!possible) {
      confirmation.outcome = Outcome::impossible;
      confirmations_.push_back(confirmation);
      continue;
    }
    if (ended_by_ == EndedBy::time_budget || !can_afford(arms, kRunsPerArm)) {
      ended_by_ = EndedBy::time_budget;
      continue;
    }
    // Half of the effect to either side: SLOWER from there on, EQUIVALENT below.
    const double half = std::expm1(std::fabs(expected) / 2);
    confirming_.emplace(plan_, std::move(contrast), kAlpha / static_cast<double>(in),
                        std::max(kLeastTolerance, std::min(plan_.tolerance, half)),
                        std::min(plan_.max_runs, kMostConfirming));
    confirmations_.push_back(confirmation);
    confirming_of_ = confirmations_.size() - 1;
    ++model_round_;
    return run_next(arms, kRunsPerArm);
  }
  end(at_cap_ && !model_.is_settled() ? EndedBy::max_runs : EndedBy::decided);
}

void Ablate::after_confirmation(std::span<const Trial* const> trials) {
  Confirmation& confirmation = confirmations_[confirming_of_];
  const bool whole = feed(*confirming_, trials);
  if (whole && confirming_->goes_on() && can_afford(next_arms_, kRunsPerArm)) return;
  const Verdict verdict = confirming_->verdict();
  const Verdict wanted = confirmation.sign > 0 ? Verdict::slower : Verdict::faster;
  if (verdict == wanted)
    confirmation.outcome = Outcome::agrees;
  else if (!whole)
    confirmation.outcome = Outcome::impossible;
  else if (verdict == Verdict::undecided)
    confirmation.outcome = Outcome::open;
  else
    confirmation.outcome = Outcome::refuted;
  if (confirming_->runs() > 0)
    confirmation.finding = confirming_->finding(confirming_->contrast().minus.front());
  confirming_.reset();
  model_.solve();
  // What was learnt may open the question again.
  if (!model_.is_settled() && !at_cap_ && !ended_by_) {
    phase_ = Phase::design;
    return after_design_block();
  }
  begin_confirmation();
}

Progress Ablate::progress() const {
  Progress progress{.blocks_done = blocks_.blocks_done(),
                    .runs_done = blocks_.runs_done(),
                    .seconds_used = blocks_.seconds_used(),
                    .seconds_left = {},
                    .block_seconds = blocks_.block_seconds(),
                    .findings = {},
                    .status = status()};
  if (blocks_.runs_done() == 0) return progress;
  const std::uint32_t most = std::max(fixed_runs(changes_), least_runs(changes_));
  const std::uint32_t design = most > design_runs_ ? most - design_runs_ : 1;
  const double run = cost_of(0);
  const double left =
      phase_ == Phase::confirm
          ? 24 * run
          : (24 + design) * run + (adaptive_ ? design * (cost_of(full_ ^ 1) - run) / 2 : 0);
  progress.seconds_left = left;
  if (plan_.time_budget_s > 0)
    progress.seconds_left =
        std::min(left, std::max(0.0, plan_.time_budget_s - progress.seconds_used));
  return progress;
}

}  // namespace assay::experiment
