// SPDX-License-Identifier: Apache-2.0
#include "experiment/suite_audit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/check.hpp"
#include "base/random.hpp"
#include "base/text.hpp"
#include "experiment/blocks.hpp"
#include "experiment/suite_audit_memory.hpp"
#include "stats/order.hpp"

namespace assay::experiment {
namespace {

constexpr std::uint64_t kMostPad = 4096;
constexpr std::uint64_t kOrdersSalt = 0x6f72646572;  // other draws than those of the blocks
constexpr double kHangTimes = 10, kHangSeconds = 5;  // as Blocks::hang_limit
constexpr double kUsualSearch = 3;                   // suites; of a suite with a polluter or two

double trial_seconds(const Trial& trial) {
  return std::chrono::duration<double>(trial.duration).count();
}

template <class T>
void shuffle_all(std::vector<T>& values, Random& random) {
  for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[random.below(i)]);
}

}  // namespace

SuiteAudit::SuiteAudit(Plan plan)
    : plan_(std::move(plan)),
      table_(*plan_.suite),
      alone_(plan_.arms.size()),
      in_suite_(plan_.arms.size()),
      unit_seconds_(plan_.suite->units.size()) {
  if (plan_.runs == 0) plan_.runs = kAuditRuns;
  Units own(suite().units.size());
  std::iota(own.begin(), own.end(), 0u);
  orders_.push_back({AuditOrder::suite, own});
  if (!suite().joins)
    left_out_.push_back(
        "order: every unit of this suite is a program of its own, so none can "
        "change another");
  begin_pairs();
}

// --- runs

Step SuiteAudit::next(std::span<const Entry> entries, std::size_t jobs_in_flight) {
  read(entries);
  const bool stopped = is_stopped(entries);
  if (phase_ == Phase::over || stopped || !failure_.empty()) return conclude(entries, stopped);
  if (jobs_in_flight > 0) return Wait{};
  return missing();
}

void SuiteAudit::read(std::span<const Entry> entries) {
  for (; entries_read_ < entries.size() && phase_ != Phase::over; ++entries_read_) {
    const Entry& entry = entries[entries_read_];
    if (const auto* build = std::get_if<Build>(&entry)) {
      if (!build->cached) seconds_ += std::chrono::duration<double>(build->duration).count();
      if (!build->ok)
        failure_ = build->reason.empty()
                       ? fmt::format("{} does not build", arm_letter(build->arm, plan_))
                       : build->reason;
    }
    const auto* trial = std::get_if<Trial>(&entry);
    if (trial == nullptr || trial->block != block_ || trial->slot >= runs_.size()) continue;
    if (answers_[trial->slot]) continue;
    answers_[trial->slot] = *trial;
    ++runs_done_;
    seconds_ += trial_seconds(*trial);
    longest_ = std::max(longest_, trial_seconds(*trial));
    AuditCost& cost = costs_.back();
    ++cost.runs;
    cost.seconds += trial_seconds(*trial);
    table_.learn(*trial);
    if (std::ranges::all_of(answers_, [](const auto& one) { return one.has_value(); })) end_block();
  }
}

Job SuiteAudit::missing() const {
  Job job;
  for (std::size_t i = 0; i < runs_.size(); ++i)
    if (!answers_[i]) job.runs.push_back(runs_[i]);
  return job;
}

void SuiteAudit::ask(Units units, std::uint32_t arm) {
  runs_.push_back({.arm = arm, .units = std::move(units)});
}

void SuiteAudit::open_block() {
  ASSAY_CHECK(!runs_.empty(), "a block has runs");
  ++block_;
  Random random(plan_.seed ^ fnv1a64(plan_.id_for_order) ^ block_);
  asked_as_.resize(runs_.size());
  std::iota(asked_as_.begin(), asked_as_.end(), std::size_t{0});
  shuffle_all(asked_as_, random);
  std::vector<Run> shuffled;
  for (const std::size_t index : asked_as_) {
    Run run = runs_[index];
    run.block = block_;
    run.slot = static_cast<std::uint32_t>(shuffled.size());
    run.pad = static_cast<std::uint32_t>(random.below(kMostPad));
    if (round_ > 1 || phase_ != Phase::pairs) run.limit_s = kHangTimes * longest_ + kHangSeconds;
    shuffled.push_back(std::move(run));
  }
  runs_ = std::move(shuffled);
  answers_.assign(runs_.size(), std::nullopt);
  if (costs_.empty() || costs_.back().stage != stage_name())
    costs_.push_back({.stage = stage_name()});
  // Refuse before, not in the middle of, what the budget does not hold. The first two rounds are
  // the least that says anything.
  if (plan_.time_budget_s > 0 && seconds_ >= plan_.time_budget_s && block_ > 2)
    end(EndedBy::time_budget);
}

void SuiteAudit::end_block() {
  switch (phase_) {
    case Phase::pairs:
      return end_pairs();
    case Phase::orders:
      return end_orders();
    case Phase::twice:
      return end_twice();
    case Phase::search: {
      std::vector<const Trial*> trials(answers_.size());
      for (std::size_t slot = 0; slot < answers_.size(); ++slot)
        trials[asked_as_[slot]] = &*answers_[slot];
      hunt_->answer(trials);
      return ask_hunt();
    }
    case Phase::memory:
      return end_memory();
    case Phase::over:
      return;
  }
}

const char* SuiteAudit::stage_name() const {
  constexpr const char* kNames[] = {"pairs", "orders", "twice", "search", "memory", "over"};
  return kNames[static_cast<std::size_t>(phase_)];
}

void SuiteAudit::end(EndedBy why) {
  if (!ended_by_) {
    ended_by_ = why;
    ended_in_ = phase_;
  }
  phase_ = Phase::over;
}

// --- alone against in the suite

void SuiteAudit::begin_pairs() {
  phase_ = Phase::pairs;
  runs_.clear();
  ++round_;
  for (std::uint32_t arm = 0; arm < plan_.arms.size(); ++arm) {
    if (has_order()) ask(orders_.front().units, arm);
    for (std::uint32_t unit = 0; unit < suite().units.size(); ++unit) ask({unit}, arm);
  }
  open_block();
}

void SuiteAudit::end_pairs() {
  for (const auto& answer : answers_) {
    const Trial& trial = *answer;
    const bool whole = trial.units.size() > 1;
    table_.read(trial, whole ? in_suite_[trial.arm] : alone_[trial.arm]);
    if (trial.arm != last_arm()) continue;
    if (!whole) {
      unit_seconds_[trial.units.front()].push_back(trial_seconds(trial));
      continue;
    }
    suite_seconds_.push_back(trial_seconds(trial));
    if (const auto peak = peak_of(plan_, trial))
      suite_peak_ = std::max(suite_peak_.value_or(0), *peak);
  }
  if (round_ < plan_.runs) return begin_pairs();
  order_readings_.push_back(in_suite_[last_arm()]);
  begin_orders();
}

void SuiteAudit::begin_orders() {
  phase_ = Phase::orders;
  runs_.clear();
  if (!has_order()) return begin_twice();
  if (!suite().reorders) {
    left_out_.push_back("orders: this suite runs its units in its own order only");
    return begin_twice();
  }
  AuditSequence reversed{AuditOrder::reversed, orders_.front().units};
  std::ranges::reverse(reversed.units);
  orders_.push_back(std::move(reversed));
  Random random(plan_.seed ^ kOrdersSalt);
  for (std::uint32_t i = 0; i < suite().random_orders; ++i) {
    AuditSequence shuffled{AuditOrder::random, orders_.front().units};
    shuffle_all(shuffled.units, random);
    orders_.push_back(std::move(shuffled));
  }
  for (std::size_t i = 1; i < orders_.size(); ++i) ask(orders_[i].units, last_arm());
  open_block();
}

void SuiteAudit::end_orders() {
  order_readings_.resize(orders_.size());
  for (std::size_t slot = 0; slot < answers_.size(); ++slot)
    table_.read(*answers_[slot], order_readings_[asked_as_[slot] + 1]);
  begin_twice();
}

void SuiteAudit::begin_twice() {
  phase_ = Phase::twice;
  runs_.clear();
  if (!suite().repeats) {
    left_out_.push_back("twice: this suite cannot run a unit twice in one process");
    return begin_hunt();
  }
  for (std::uint32_t unit = 0; unit < suite().units.size(); ++unit) ask({unit, unit}, last_arm());
  open_block();
}

void SuiteAudit::end_twice() {
  orders_.push_back({AuditOrder::twice, {}});
  order_readings_.resize(orders_.size());
  for (const auto& answer : answers_) table_.read(*answer, 1, order_readings_.back());
  begin_hunt();
}

// --- the search

AuditBase SuiteAudit::base() const {
  AuditBase base{.alone = alone_[last_arm()],
                 .suite_s = stats::median(suite_seconds_).value_or(0),
                 .reorders = suite().reorders,
                 .repeats = suite().repeats};
  base.scatters = scatters_of(side_pairs(table_, base.alone, in_suite_[last_arm()]));
  for (const auto& seconds : unit_seconds_)
    base.unit_s.push_back(stats::median(seconds).value_or(0));
  base.limit_s = suite().search_limit * base.suite_s;
  return base;
}

void SuiteAudit::begin_hunt() {
  phase_ = Phase::search;
  const AuditBase known = base();
  // The own order is a family; the orders that were tried once are another.
  std::vector<SidePair> pairs = side_pairs(table_, known.alone, order_readings_.front());
  const auto own = judge_pairs(pairs, known.scatters);
  std::vector<SidePair> others;
  std::vector<Scatter> scatters;
  for (std::size_t order = 1; order < orders_.size(); ++order) {
    auto more = side_pairs(table_, known.alone, order_readings_[order]);
    others.insert(others.end(), more.begin(), more.end());
    scatters.insert(scatters.end(), known.scatters.begin(), known.scatters.end());
  }
  const auto other = judge_pairs(others, scatters);
  hunt_.emplace(table_, known, orders_);
  for (std::uint32_t order = 0; order < orders_.size(); ++order)
    for (std::uint32_t i = 0; i < table_.size(); ++i) {
      const PairJudgement& one = order == 0 ? own[i] : other[(order - 1) * table_.size() + i];
      if (one.differs) hunt_->suspect(order, i, one, readings_at(order_readings_[order], i));
    }
  hunt_->begin();
  ask_hunt();
}

void SuiteAudit::ask_hunt() {
  runs_.clear();
  for (const Units& units : hunt_->wanted()) ask(units, last_arm());
  if (runs_.empty()) return begin_memory();
  open_block();
}

// --- memory

void SuiteAudit::begin_memory() {
  phase_ = Phase::memory;
  const auto budget = suite().memory_budget;
  const bool told = std::ranges::any_of(in_suite_[last_arm()], [](const auto& readings) {
    return std::ranges::any_of(
        readings, [](const SuiteReading& one) { return one.memory_after.has_value(); });
  });
  if (!budget || told || !has_order() || suite_peak_.value_or(0) <= *budget)
    return end(EndedBy::decided);
  fits_ = 0;
  exceeds_ = static_cast<std::uint32_t>(suite().units.size());
  ask_memory();
}

void SuiteAudit::ask_memory() {
  if (exceeds_ - fits_ <= 1) {
    crosses_at_ = orders_.front().units[exceeds_ - 1];
    return end(EndedBy::decided);
  }
  runs_.clear();
  const std::uint32_t middle = fits_ + (exceeds_ - fits_) / 2;
  const Units& own = orders_.front().units;
  ask({own.begin(), own.begin() + middle}, last_arm());
  open_block();
}

void SuiteAudit::end_memory() {
  const Trial& trial = *answers_.front();
  const auto count = static_cast<std::uint32_t>(trial.units.size());
  const auto peak = peak_of(plan_, trial);
  (peak && *peak > *suite().memory_budget ? exceeds_ : fits_) = count;
  ask_memory();
}

// --- progress

std::optional<double> SuiteAudit::seconds_left() const {
  const Phase phase = ended_in();
  const auto whole = stats::median(suite_seconds_);
  const double suite_s = whole.value_or(0);
  double alone = 0;
  for (const auto& seconds : unit_seconds_) alone += stats::median(seconds).value_or(0);
  if (alone <= 0) return std::nullopt;
  const double rounds = phase == Phase::pairs ? plan_.runs - round_ + 1 : 0;
  double left = rounds * static_cast<double>(plan_.arms.size()) * (alone + suite_s);
  if (phase <= Phase::orders && suite().reorders) left += (1 + suite().random_orders) * suite_s;
  if (phase <= Phase::twice && suite().repeats) left += 2 * alone;
  const double searched = hunt_ ? hunt_->seconds() : 0;
  if (phase <= Phase::search) left += std::max(0.0, kUsualSearch * suite_s - searched);
  return left;
}

Progress SuiteAudit::progress() const {
  Progress progress{.blocks_done = block_ > 0 ? block_ - 1 : 0,
                    .runs_done = runs_done_,
                    .seconds_used = seconds_,
                    .seconds_left = seconds_left(),
                    .block_seconds = {},
                    .findings = {}};
  switch (phase_) {
    case Phase::pairs:
      progress.status = fmt::format("alone and in the suite, round {} of {}", round_, plan_.runs);
      break;
    case Phase::orders:
      progress.status = "other orders";
      break;
    case Phase::twice:
      progress.status = "every unit twice";
      break;
    case Phase::search:
      progress.status = hunt_ ? hunt_->status() : "";
      break;
    case Phase::memory:
      progress.status =
          fmt::format("where the memory budget is crossed: unit {} to {}", fits_ + 1, exceeds_);
      break;
    case Phase::over:
      break;
  }
  return progress;
}

}  // namespace assay::experiment
