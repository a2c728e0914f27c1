// SPDX-License-Identifier: Apache-2.0
#include "experiment/bisect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.hpp"
#include "base/text.hpp"
#include "experiment/order.hpp"
#include "experiment/pairs.hpp"
#include "stats/order.hpp"

namespace assay::experiment {
namespace {

constexpr std::uint32_t kFirstEnds = 6, kMoreEnds = 2;  // runs of either end in a block
constexpr std::uint32_t kMostEnds = 100;                // of both together
constexpr std::uint32_t kMostEndsOfPart = 48;
constexpr double kEndsT = 3.5;      // beyond doubt, with a look after every block
constexpr double kHopelessT = 1.5;  // of a part, after its first blocks
constexpr double kEitherWay = 2;    // factor between the size found and the size reported
constexpr double kLeastPart = 0.2;  // of the effect: smaller remainders are not searched
constexpr std::uint32_t kMostSearch = 600, kMostSearchOfPart = 300;  // runs, those of ends included
constexpr std::uint32_t kEndEvery = 8;  // search runs: then an end again, to see drift
constexpr std::uint32_t kMostRefuted = 3;
constexpr double kLeastTolerance = 1e-4;

std::vector<double> fresh(std::span<const double> values, std::size_t from) {
  return {values.begin() + static_cast<std::ptrdiff_t>(std::min(from, values.size())),
          values.end()};
}

}  // namespace

Bisect::Bisect(Plan plan)
    : plan_(std::move(plan)),
      commits_(static_cast<std::uint32_t>(plan_.design->commits.size())),
      runs_(plan_),
      line_(Line{.search = LineSearch(main_path(plan_.design->commits))}),
      next_arms_({first(), last()}),
      blocks_(
          plan_, [this](std::uint32_t block) { return schedule(block); },
          Blocks::OnFailure::drop_arm) {}

// --- runs

std::vector<Run> Bisect::schedule(std::uint32_t block) const {
  std::vector<Run> runs;
  for (const std::uint32_t arm : next_arms_) {
    const bool warms_up = phase_ == Phase::warm_up || (has_build(arm) && !runs_.is_warm(arm));
    const bool planned = std::ranges::find(runs, arm, &Run::arm) != runs.end();
    if (warms_up && !planned) runs.push_back({.arm = arm, .warmup = true});
  }
  std::vector<Run> counted;
  if (phase_ != Phase::warm_up)
    counted = shuffled_block(plan_.seed, plan_.id_for_order, block, next_arms_, next_per_arm_);
  if (!next_shuffled_)
    std::ranges::stable_sort(counted, {}, [&](const Run& run) {
      return std::ranges::find(next_arms_, run.arm) - next_arms_.begin();
    });
  runs.insert(runs.end(), counted.begin(), counted.end());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    runs[i].block = block;
    runs[i].slot = static_cast<std::uint32_t>(i);
    runs[i].limit_s = blocks_.hang_limit();
  }
  return runs;
}

void Bisect::run_next(std::vector<std::uint32_t> arms, std::uint32_t per_arm, bool shuffled) {
  next_arms_ = std::move(arms);
  next_per_arm_ = per_arm;
  next_shuffled_ = shuffled;
}

RunPrice Bisect::price() const {
  RunPrice price;
  price.warms_up = has_build(0);
  if (blocks_.builds() > 0) price.build_s = blocks_.mean_build();
  price.run_s = blocks_.mean_run().value_or(price.run_s);
  return price;
}

bool Bisect::can_afford(std::span<const std::uint32_t> arms, std::uint32_t per_arm) const {
  if (plan_.time_budget_s <= 0) return true;
  const RunPrice each = price();
  double cost = 0;
  for (const std::uint32_t arm : arms) {
    cost += per_arm * each.run_s;
    if (has_build(arm) && !runs_.is_warm(arm)) cost += each.build_s + each.run_s;
  }
  return blocks_.seconds_used() + cost <= plan_.time_budget_s;
}

Step Bisect::next(std::span<const Entry> entries, std::size_t jobs_in_flight) {
  if (phase_ != Phase::over)
    blocks_.read(entries, [this](std::uint32_t, std::span<const Trial* const> trials) {
      return end_block(trials);
    });
  const bool stopped = is_stopped(entries);
  if (phase_ == Phase::over || stopped || blocks_.failure()) return conclude(entries, stopped);
  if (jobs_in_flight > 0) return Wait{};
  return blocks_.missing();
}

bool Bisect::end_block(std::span<const Trial* const> trials) {
  std::uint32_t counted = 0;
  for (const Trial* trial : trials) {
    runs_.take(*trial);
    counted += trial->warmup ? 0 : 1;
  }
  runs_.take_broken(blocks_);
  if (phase_ == Phase::ends || phase_ == Phase::search) {
    line_->runs += counted;
    found_.runs += counted;
  }
  switch (phase_) {
    case Phase::warm_up:
      begin_line();
      break;
    case Phase::ends:
      after_ends();
      break;
    case Phase::search:
      line_->since_end += counted;
      begin_search();
      break;
    case Phase::confirm:
    case Phase::give_back:
      after_pair(trials);
      break;
    case Phase::over:
      break;
  }
  return phase_ != Phase::over;
}

void Bisect::end() {
  phase_ = Phase::over;
  if (!ended_by_) ended_by_ = EndedBy::decided;
}

// --- the ends

void Bisect::begin_line() {
  phase_ = Phase::ends;
  line_->seen_good = runs_.count(first());  // fresh runs: what raised the suspicion proves nothing
  line_->seen_bad = runs_.count(last());
  run_next({first(), last()}, kFirstEnds, true);
  if (runs_.is_broken(first()) || runs_.is_broken(last()) || !can_afford(next_arms_, next_per_arm_))
    after_ends();
}

// Whether the size is surely not the one that was reported.
bool Bisect::too_different(const verdict::EndsTest& test) const {
  if (!plan_.design->expect) return false;
  const double wanted = std::log(*plan_.design->expect);
  const auto interval = verdict::interval_of(test);
  if (!interval) return false;
  const double low = std::min(wanted / kEitherWay, wanted * kEitherWay);
  const double high = std::max(wanted / kEitherWay, wanted * kEitherWay);
  return interval->hi < low || interval->lo > high;
}

void Bisect::after_ends() {
  Line& line = *line_;
  if (runs_.is_broken(first()) || runs_.is_broken(last())) {
    if (!line.is_whole()) return close_line();
    const std::uint32_t arm = runs_.is_broken(first()) ? first() : last();
    failure_ = fmt::format("the {} end, {}, {}", arm == first() ? "good" : "bad", name_of(arm),
                           std::ranges::find(runs_.broken(), arm, &BrokenArm::arm)->why);
    ended_by_ = EndedBy::failure;
    return end();
  }
  const auto good = fresh(runs_.logs(first()), line.seen_good);
  const auto bad = fresh(runs_.logs(last()), line.seen_bad);
  const verdict::EndsTest test = verdict::test_ends(good, bad);
  line.effect = test.effect;
  if (line.is_whole()) found_.anchors = estimate_of(test);
  const bool enough = good.size() >= kFirstEnds && bad.size() >= kFirstEnds;
  const bool differ = enough && std::fabs(test.t) >= kEndsT;
  if (differ && is_wanted(test.effect)) return begin_search();
  if (differ && line.is_whole() && found_.reproduced == Reproduced::better) return end();
  const bool hopeless =
      enough && (line.is_whole() ? too_different(test)
                                 : good.size() >= 2 * kFirstEnds && std::fabs(test.t) < kHopelessT);
  if (enough) run_next({first(), last()}, kMoreEnds, true);
  const bool affordable = can_afford(next_arms_, next_per_arm_);
  const std::size_t most = line.is_whole() ? kMostEnds : kMostEndsOfPart;
  if (!hopeless && affordable && good.size() + bad.size() < most) return;
  if (!line.is_whole()) return close_line();
  found_.reproduced = affordable || hopeless ? Reproduced::no : Reproduced::unknown;
  if (!affordable) ended_by_ = EndedBy::time_budget;
  end();
}

// Whether a difference of the ends is the one to search. Notes when it goes the other way.
bool Bisect::is_wanted(double effect) {
  if (!line_->is_whole()) return std::fabs(effect) >= kLeastPart * std::fabs(found_.anchors.value);
  const auto& expect = plan_.design->expect;
  const double share = effect / (expect ? std::log(*expect) : 1);
  if (share < 0) found_.reproduced = Reproduced::better;
  const bool fits = expect ? share >= 1 / kEitherWay && share <= kEitherWay : share > 0;
  if (fits) found_.reproduced = Reproduced::yes;
  return fits;
}

// --- the search

void Bisect::begin_search() {
  phase_ = Phase::search;
  line_->searched = true;
  line_->search.update(runs_);
  look_for_next();
}

void Bisect::look_for_next() {
  Line& line = *line_;
  const auto& path = line.search.path().commits;
  const CommitGroup& group = line.search.likeliest();
  if (line.search.posterior().none >= kNamed || line.refuted >= kMostRefuted) return close_line();
  if (group.probability >= kNamed) {
    if (line.pair_of(path[group.last]) != nullptr) return accept(group);
    Pair pair{
        .a = path[group.first - 1], .b = path[group.last], .effect = line.effect, .group = group};
    if (can_afford(std::vector{pair.a, pair.b}, kRunsPerArm))
      return begin_pair(Phase::confirm, std::move(pair));
    ended_by_ = EndedBy::time_budget;
    return accept(group);
  }
  if (found_.runs >= kMostSearch || (!line.is_whole() && line.runs >= kMostSearchOfPart)) {
    ended_by_ = EndedBy::max_runs;
    return close_line();
  }
  std::vector<std::uint32_t> arms;
  if (const auto choice = line.search.choose(runs_, price()))
    arms.assign(choice->runs, path[choice->position]);
  const bool only_ends = arms.empty();
  if (only_ends || line.since_end >= kEndEvery) {
    for (const bool good : {true, false}) {
      const std::uint32_t arm = good ? first() : last();
      if ((only_ends || good == line.end_turn) && !runs_.is_broken(arm)) arms.push_back(arm);
    }
    line.end_turn = !line.end_turn;
    line.since_end = 0;
  }
  if (arms.empty()) return close_line();
  if (!can_afford(arms, 1)) {
    ended_by_ = EndedBy::time_budget;
    return close_line();
  }
  run_next(std::move(arms), 1, false);
}

// --- two commits by the rule

const Bisect::Pair* Bisect::Line::pair_of(std::uint32_t commit) const {
  for (const Pair& pair : pairs)
    if (pair.b == commit) return &pair;
  return nullptr;
}

void Bisect::begin_pair(Phase phase, Pair pair) {
  phase_ = phase;
  // Half of the effect to either side: SLOWER from there on, EQUIVALENT below.
  const double half = std::expm1(std::fabs(pair.effect) / 2);
  pair.test.emplace(
      verdict::RuleOptions{.tolerance = std::max(kLeastTolerance, std::min(plan_.tolerance, half)),
                           .max_runs = kMostPair});
  pair_ = std::move(pair);
  run_next({pair_->a, pair_->b}, kRunsPerArm, true);
}

void Bisect::after_pair(std::span<const Trial* const> trials) {
  Pair& pair = *pair_;
  std::vector<double> a, b;
  if (!runs_.is_broken(pair.a) && !runs_.is_broken(pair.b))
    for (const Trial* trial : trials) {
      if (trial->warmup) continue;
      auto& side = trial->arm == pair.a ? a : b;
      const auto values = runs_.logs(trial->arm);
      // Of this block: the last six of the arm, in order.
      side.push_back(std::exp(values[values.size() - kRunsPerArm + side.size()]));
    }
  const bool whole = a.size() == kRunsPerArm && b.size() == kRunsPerArm;
  if (whole) {
    pair.test->add_block(a, b);
    pair.all_a.insert(pair.all_a.end(), a.begin(), a.end());
    pair.all_b.insert(pair.all_b.end(), b.begin(), b.end());
  }
  const bool goes_on = whole && pair.test->is_open() && pair.test->runs() < kMostPair &&
                       !pair.test->is_futile(kMostPair) && can_afford(next_arms_, kRunsPerArm);
  if (goes_on) return;
  if (phase_ == Phase::confirm) return end_confirm();
  if (pair.test->runs() > 0) found_.culprits[pair.culprit].reverted = add_finding(pair);
  pair_.reset();
  begin_give_back();
}

// A contrary answer makes the group unlikely and the search goes on; no answer in time leaves it as
// likely as the posterior says, which has the runs of the comparison too.
void Bisect::end_confirm() {
  Line& line = *line_;
  Pair pair = std::move(*pair_);
  pair_.reset();
  const Verdict verdict = pair.test->verdict();
  const Verdict wanted = line.effect > 0 ? Verdict::slower : Verdict::faster;
  if (verdict != wanted && verdict != Verdict::undecided) {
    ++line.refuted;
    line.search.doubt(pair.group);
  } else if (pair.test->runs() > 0 && !runs_.is_broken(pair.a) && !runs_.is_broken(pair.b)) {
    line.pairs.push_back(std::move(pair));
  }
  begin_search();
}

std::uint32_t Bisect::add_finding(const Pair& pair) {
  const auto gates = gates_of(plan_);
  const bool higher = plan_.metrics[gates.front()].better == Better::higher;
  MetricFinding finding{.arm = pair.b, .metric = gates.front()};
  finding.verdict = pair.test->verdict();
  finding.reason = pair.test->reason();
  finding.reading = pair.test->reading();
  finding.all_runs = pair.test->runs();
  const double a = *stats::median(pair.all_a), b = *stats::median(pair.all_b);
  finding.baseline_median = higher ? 1 / a : a;
  finding.candidate_median = higher ? 1 / b : b;
  findings_.push_back(finding);
  return static_cast<std::uint32_t>(findings_.size() - 1);
}

}  // namespace assay::experiment
