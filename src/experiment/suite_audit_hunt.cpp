// SPDX-License-Identifier: Apache-2.0
#include "experiment/suite_audit_hunt.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>

#include "base/text.hpp"
#include "stats/order.hpp"

namespace assay::experiment {
namespace {

using HuntUnits = AuditHunt::Units;

constexpr std::uint32_t kConfirmRounds = 3;
constexpr std::size_t kMostPolluters = 3;  // that are looked for behind one another
constexpr std::uint32_t kMostAsked = 3;    // runs of one question
constexpr double kSure = 4.6;              // log odds of 99 : 1
constexpr double kLeastSd = 0.01;          // log; three runs that agree better than that are luck

HuntUnits units_without(const HuntUnits& units, const HuntUnits& less) {
  HuntUnits rest;
  for (const std::uint32_t unit : units)
    if (std::ranges::find(less, unit) == less.end()) rest.push_back(unit);
  return rest;
}

bool contains_all(const HuntUnits& units, const HuntUnits& some) {
  return std::ranges::all_of(
      some, [&](std::uint32_t unit) { return std::ranges::find(units, unit) != units.end(); });
}

HuntUnits in_front_of(HuntUnits front, std::span<const std::uint32_t> behind) {
  front.insert(front.end(), behind.begin(), behind.end());
  return front;
}

}  // namespace

AuditHunt::AuditHunt(const AuditTable& table, AuditBase base, std::vector<AuditSequence> orders)
    : table_(table), base_(std::move(base)), orders_(std::move(orders)) {
  double units_s = 0;
  for (const double one : base_.unit_s) units_s += one;
  if (base_.unit_s.size() > 1 && base_.suite_s > 0)
    process_s_ =
        std::max(0.0, (units_s - base_.suite_s) / (static_cast<double>(base_.unit_s.size()) - 1));
}

void AuditHunt::suspect(std::uint32_t order, std::uint32_t benchmark,
                        const PairJudgement& judgement, std::vector<SuiteReading> readings) {
  const bool slower = judgement.effect > 0;
  const std::uint32_t unit = table_[benchmark].unit;
  Suspicion* at = nullptr;
  for (Suspicion& one : suspicions_) {
    if (one.unit != unit || one.slower != slower) continue;
    // What the suite's own order shows already needs no other order.
    const bool known =
        one.order < order && orders_[order].kind != AuditOrder::twice &&
        std::ranges::find(one.members, benchmark, &Member::benchmark) != one.members.end();
    if (known) return;
    if (one.order == order) at = &one;
  }
  if (at == nullptr) {
    Suspicion fresh{.unit = unit, .order = order, .slower = slower};
    for (const std::uint32_t other : orders_[order].units) {
      if (other == unit) break;
      fresh.before.push_back(other);
    }
    if (orders_[order].kind == AuditOrder::twice) fresh.before = {unit};
    at = &suspicions_.emplace_back(std::move(fresh));
  }
  at->members.push_back(
      {.benchmark = benchmark, .judgement = judgement, .behind = std::move(readings)});
}

void AuditHunt::begin() {
  const auto place = [&](const Suspicion& one) { return std::pair(one.order, one.before.size()); };
  std::ranges::stable_sort(suspicions_, {}, place);
  for (Suspicion& one : suspicions_)
    std::ranges::stable_sort(one.members, std::greater<>(), [](const Member& member) {
      return std::fabs(member.judgement.effect) / member.judgement.threshold;
    });
  stage_ = Stage::verify;
  std::set<std::uint32_t> alone;
  for (std::uint32_t order = 0; order < orders_.size(); ++order) {
    std::size_t last = 0;
    bool any = false;
    for (std::size_t i = 0; i < suspicions_.size(); ++i) {
      const Suspicion& one = suspicions_[i];
      if (one.order != order) continue;
      any = true;
      last = std::max(last, one.before.size());
      if (alone.insert(one.unit).second) {
        wanted_.push_back({one.unit});
        verify_.emplace_back(0, one.unit);
      }
      if (!is_twice(one)) continue;
      wanted_.push_back({one.unit, one.unit});
      verify_.emplace_back(2, i);
    }
    if (!any || orders_[order].kind == AuditOrder::twice) continue;
    const Units& units = orders_[order].units;
    wanted_.emplace_back(units.begin(), units.begin() + static_cast<std::ptrdiff_t>(last + 1));
    verify_.emplace_back(1, order);
  }
  if (wanted_.empty()) stage_ = Stage::over;
}

double AuditHunt::odds(const Suspicion& one, std::span<const double> logs) const {
  const Member& lead = one.members.front();
  const double alone = stats::median(logs_at(base_.alone, lead.benchmark)).value_or(0);
  // Beyond the threshold is polluted, whether or not others add to it.
  const double size = std::min(std::fabs(lead.judgement.effect), 2 * lead.judgement.threshold);
  const double sd = std::max(base_.scatters[lead.benchmark].sd, kLeastSd);
  double sum = 0;
  for (const double log : logs)
    sum += size / (sd * sd) * ((one.slower ? log - alone : alone - log) - size / 2);
  return sum;
}

// A process with its units: what each takes alone, and what a process takes beside them once.
double AuditHunt::cost_of(std::span<const std::uint32_t> units) const {
  double cost = process_s_;
  for (const std::uint32_t unit : units) cost += std::max(0.0, base_.unit_s[unit] - process_s_);
  return cost;
}

bool AuditHunt::affords(std::span<const Units> runs, double times) {
  double cost = 0;
  for (const Units& units : runs) cost += times * cost_of(units);
  const bool fits = base_.limit_s <= 0 || seconds_ + cost <= base_.limit_s;
  if (!fits) reached_limit_ = true;
  return fits;
}

void AuditHunt::give_up(Suspicion& one) {
  one.done = true;
  one.open = fmt::format("the search ended at its limit, with {} units suspected",
                         one.search ? one.search->suspects() : one.before.size());
}

void AuditHunt::answer(std::span<const Trial* const> trials) {
  for (const Trial* trial : trials)
    seconds_ += std::chrono::duration<double>(trial->duration).count();
  bool polluted = false;
  switch (stage_) {
    case Stage::verify:
      end_verify(trials);
      return advance();
    case Stage::confirm:
      return end_confirm_round(trials);
    case Stage::share_cleaner:
      share_cleaner(*trials.front());
      return advance();
    case Stage::polluter:
      if (!hear(*trials.front(), polluted)) return;
      suspicions_[current_].search->answer(part_, polluted);
      return advance();
    case Stage::another:
      return hear(*trials.front(), polluted) ? go_on_another(polluted) : void();
    case Stage::cleaner:
      return hear(*trials.front(), polluted) ? go_on_cleaner(polluted) : void();
    case Stage::over:
      return;
  }
}

void AuditHunt::end_verify(std::span<const Trial* const> trials) {
  const auto trial_for = [&](std::uint32_t kind, std::size_t index) -> const Trial* {
    for (std::size_t i = 0; i < trials.size(); ++i)
      if (verify_[i] == std::pair(kind, index)) return trials[i];
    return nullptr;
  };
  for (std::size_t i = 0; i < suspicions_.size(); ++i) {
    Suspicion& one = suspicions_[i];
    const Trial* behind = is_twice(one) ? trial_for(2, i) : trial_for(1, one.order);
    const Trial* alone = trial_for(0, one.unit);
    const std::uint32_t lead = one.members.front().benchmark;
    std::optional<double> here, there;
    if (behind != nullptr) here = table_.log_of(*behind, one.before.size(), lead);
    if (alone != nullptr) there = table_.log_of(*alone, 0, lead);
    one.reproduced = here && there && odds(one, {&*here, 1}) > 0 && odds(one, {&*there, 1}) < 0;
    if (one.reproduced) continue;
    one.done = true;
    one.open = here && there
                   ? fmt::format("not seen again in fresh runs: {} times alone, then {}",
                                 factor_text(std::exp(one.members.front().judgement.effect)),
                                 factor_text(std::exp(*here - *there)))
                   : "gave no time in fresh runs";
  }
}

bool AuditHunt::hear(const Trial& trial, bool& polluted) {
  const Suspicion& one = suspicions_[current_];
  const auto log = table_.log_of(trial, trial.units.size() - 1, one.members.front().benchmark);
  if (log) heard_.push_back(*log);
  const double now = odds(one, heard_);
  polluted = now > 0;
  // Otherwise the same run once more.
  return std::fabs(now) >= kSure || asked_++ >= kMostAsked - 1 || !affords(wanted_);
}

// [front, part, victim].
bool AuditHunt::ask(const Units& front, Units part) {
  Units units = in_front_of(front, part);
  units.push_back(suspicions_[current_].unit);
  part_ = std::move(part);
  heard_.clear();
  asked_ = 0;
  wanted_ = {std::move(units)};
  return affords(wanted_);
}

// --- the next question of the suspicion in front

void AuditHunt::advance() {
  wanted_.clear();
  for (; current_ < suspicions_.size(); ++current_) {
    Suspicion& one = suspicions_[current_];
    if (one.done) continue;
    stage_ = Stage::polluter;
    if (is_twice(one)) return begin_confirm({one.unit}, {current_});
    if (!one.search) one.search.emplace(one.before, known_);
    if (!one.search->question())
      return begin_confirm(one.search->found(), sharers_of(one.search->found()));
    if (ask({}, *one.search->question())) return;
    give_up(one);
  }
  wanted_.clear();
  stage_ = Stage::over;
}

// --- [polluter, victims] against [victims]

// The one in front, and those that had the polluter in front of them in the same order.
std::vector<std::size_t> AuditHunt::sharers_of(const Units& polluter) const {
  std::vector<std::size_t> group = {current_};
  const Suspicion& lead = suspicions_[current_];
  if (std::ranges::find(lead.tried, polluter) != lead.tried.end()) return group;
  for (std::size_t i = 0; i < suspicions_.size(); ++i) {
    const Suspicion& one = suspicions_[i];
    if (i == current_ || one.done || one.order != lead.order || one.unit == lead.unit) continue;
    if (!contains_all(one.before, polluter)) continue;
    const bool before = std::ranges::find(one.tried, polluter) != one.tried.end();
    const bool twin =
        std::ranges::any_of(group, [&](std::size_t j) { return suspicions_[j].unit == one.unit; });
    if (!before && !twin) group.push_back(i);
  }
  return group;
}

void AuditHunt::begin_confirm(Units polluter, std::vector<std::size_t> group) {
  polluter_ = std::move(polluter);
  group_ = std::move(group);
  round_ = 0;
  with_.assign(group_.size(), {});
  without_.assign(group_.size(), {});
  for (const std::size_t i : group_) suspicions_[i].tried.push_back(polluter_);
  stage_ = Stage::confirm;
  ask_confirm();
  if (affords(wanted_, kConfirmRounds)) return;
  if (group_.size() > 1) return begin_confirm(Units(polluter_), {current_});
  if (!suspicions_[current_].members.front().polluters.empty()) return advance();
  for (Member& member : suspicions_[current_].members)
    member.polluters.push_back({.units = polluter_, .factor = std::exp(member.judgement.effect)});
  suspicions_[current_].done = true;
  suspicions_[current_].open = "the search ended at its limit before this could be confirmed";
  advance();
}

void AuditHunt::ask_confirm() {
  Units victims;
  for (const std::size_t i : group_) victims.push_back(suspicions_[i].unit);
  wanted_ = {in_front_of(polluter_, victims), victims};
  const Suspicion& lead = suspicions_[current_];
  const bool last = round_ + 1 == kConfirmRounds;
  if (last && base_.repeats && !is_twice(lead))
    wanted_.push_back(in_front_of(polluter_, Units{lead.unit, lead.unit}));
}

void AuditHunt::end_confirm_round(std::span<const Trial* const> trials) {
  std::vector<std::size_t> left;
  std::vector<AuditReadings> with, without;
  for (std::size_t i = 0; i < group_.size(); ++i) {
    const Suspicion& one = suspicions_[group_[i]];
    const std::size_t place = polluter_.size() + i;
    table_.read(*trials[0], place, with_[i]);
    table_.read(*trials[1], i, without_[i]);
    // Those that are clean behind the polluter are none of its victims.
    const auto log = table_.log_of(*trials[0], place, one.members.front().benchmark);
    if (i > 0 && round_ == 0 && (!log || odds(one, {&*log, 1}) < 0)) continue;
    left.push_back(group_[i]);
    with.push_back(std::move(with_[i]));
    without.push_back(std::move(without_[i]));
  }
  if (trials.size() > 2) {
    AuditReadings again;
    table_.read(*trials[2], polluter_.size() + 1, again);
    for (Member& member : suspicions_[current_].members)
      if (const auto& seen = readings_at(again, member.benchmark); !seen.empty())
        member.again_s = seen.front().value;
  }
  group_ = std::move(left);
  with_ = std::move(with);
  without_ = std::move(without);
  if (++round_ < kConfirmRounds) return ask_confirm();
  end_confirm();
}

bool AuditHunt::judge(std::size_t in_group) {
  Suspicion& one = suspicions_[group_[in_group]];
  std::vector<SidePair> pairs;
  std::vector<Scatter> scatters;
  for (const Member& member : one.members) {
    pairs.push_back({.alone = logs_at(without_[in_group], member.benchmark),
                     .behind = logs_at(with_[in_group], member.benchmark)});
    scatters.push_back(base_.scatters[member.benchmark]);
  }
  const auto judged = judge_pairs(pairs, scatters);
  for (std::size_t m = 0; m < one.members.size(); ++m) {
    Member& member = one.members[m];
    const bool confirmed = judged[m].differs && (judged[m].effect > 0) == one.slower;
    if (m > 0 && !confirmed) continue;
    member.polluters.push_back({.units = polluter_,
                                .factor = std::exp(judged[m].effect),
                                .runs = kConfirmRounds,
                                .confirmed = confirmed,
                                .shared = group_.size() > 1});
    if (!confirmed || member.from_confirmation) continue;
    member.from_confirmation = true;
    member.behind = readings_at(with_[in_group], member.benchmark);
    member.fresh_alone = readings_at(without_[in_group], member.benchmark);
  }
  return one.members.front().polluters.back().confirmed;
}

void AuditHunt::end_confirm() {
  std::vector<std::size_t> confirmed;
  const bool first = suspicions_[current_].members.front().polluters.empty();
  for (std::size_t i = 0; i < group_.size(); ++i) {
    Suspicion& one = suspicions_[group_[i]];
    if (judge(i)) {
      one.done = true;
      confirmed.push_back(group_[i]);
    } else if (i > 0 || !first) {
      one.members.front().polluters.pop_back();  // it has its own search, or a polluter already
    }
  }
  if (!confirmed.empty() && confirmed.front() == current_) {
    if (!is_twice(suspicions_[current_])) known_.insert(known_.begin(), polluter_);
    group_ = std::move(confirmed);
    return begin_another();
  }
  Suspicion& lead = suspicions_[current_];
  if (!first) return begin_cleaner();
  lead.done = true;
  lead.open = "what the search pointed at was not confirmed by fresh runs";
  advance();
}

// --- another polluter, beside the first

void AuditHunt::begin_another() {
  const Suspicion& lead = suspicions_[current_];
  side_.reset();
  rest_ = lead.before;
  const auto& polluters = lead.members.front().polluters;
  for (const Polluter& one : polluters) rest_ = units_without(rest_, one.units);
  if (is_twice(lead) || rest_.empty() || polluters.size() >= kMostPolluters) return begin_cleaner();
  stage_ = Stage::another;
  if (!ask({}, rest_)) begin_cleaner();
}

void AuditHunt::go_on_another(bool polluted) {
  if (side_)
    side_->answer(part_, polluted);
  else if (!polluted)
    return begin_cleaner();
  else
    side_.emplace(rest_, known_);
  if (!side_->question()) return begin_confirm(side_->found(), std::vector(group_));
  if (!ask({}, *side_->question())) begin_cleaner();
}

// --- who undoes it

void AuditHunt::begin_cleaner() {
  const Suspicion& lead = suspicions_[current_];
  side_.reset();
  const auto& polluters = lead.members.front().polluters;
  polluter_ = polluters.empty() ? Units() : polluters.front().units;
  rest_ = units_without(units_without(orders_.front().units, polluter_), {lead.unit});
  if (!base_.reorders || is_twice(lead) || polluter_.empty() || rest_.empty()) return advance();
  stage_ = Stage::cleaner;
  if (!ask(polluter_, rest_)) advance();
}

void AuditHunt::go_on_cleaner(bool polluted) {
  if (side_)
    side_->answer(part_, !polluted);
  else if (polluted)
    return advance();
  else
    side_.emplace(rest_);
  if (side_->question()) {
    if (!ask(polluter_, *side_->question())) advance();
    return;
  }
  suspicions_[current_].cleaners.push_back(side_->found());
  Units victims;
  for (const std::size_t i : group_)
    if (std::ranges::find(side_->found(), suspicions_[i].unit) == side_->found().end())
      victims.push_back(suspicions_[i].unit);
  wanted_ = {in_front_of(in_front_of(polluter_, side_->found()), victims)};
  stage_ = Stage::share_cleaner;
  if (victims.size() < 2 || !affords(wanted_)) advance();
}

void AuditHunt::share_cleaner(const Trial& trial) {
  const std::size_t front = polluter_.size() + side_->found().size();
  for (const std::size_t i : group_) {
    Suspicion& one = suspicions_[i];
    if (i == current_) continue;
    for (std::size_t place = front; place < trial.units.size(); ++place) {
      const auto log = table_.log_of(trial, place, one.members.front().benchmark);
      if (log && odds(one, {&*log, 1}) < 0) one.cleaners.push_back(side_->found());
    }
  }
}

std::size_t AuditHunt::members_suspected() const {
  std::set<std::uint32_t> benchmarks;
  for (const Suspicion& one : suspicions_)
    for (const Member& member : one.members) benchmarks.insert(member.benchmark);
  return benchmarks.size();
}

std::string AuditHunt::status() const {
  if (current_ >= suspicions_.size() || stage_ == Stage::over) return {};
  const Suspicion& one = suspicions_[current_];
  const std::string victim = printable(table_[one.members.front().benchmark].id);
  switch (stage_) {
    case Stage::verify:
      return fmt::format("{} benchmark{} that looked different once more, in fresh runs",
                         members_suspected(), members_suspected() == 1 ? "" : "s");
    case Stage::confirm:
      return fmt::format("confirming what makes '{}' {}", victim, one.slower ? "slower" : "faster");
    case Stage::cleaner:
    case Stage::share_cleaner:
      return fmt::format("looking for what undoes it for '{}'", victim);
    default:
      return fmt::format("looking for what makes '{}' {}, suspected units: {}", victim,
                         one.slower ? "slower" : "faster",
                         one.search ? one.search->suspects() : one.before.size());
  }
}

}  // namespace assay::experiment
