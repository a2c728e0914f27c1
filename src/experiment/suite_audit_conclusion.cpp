// SPDX-License-Identifier: Apache-2.0
// The answer of an audit, whole or cut short. What an audit that was ended has not asked is open: a
// benchmark has a verdict only where every question about it was answered.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.hpp"
#include "experiment/suite_audit.hpp"
#include "experiment/suite_audit_memory.hpp"
#include "stats/order.hpp"

namespace assay::experiment {
namespace {

constexpr double kMuch = 1.25;                         // differences that an audit ought to see
constexpr std::uint32_t kMore = 4, kMostAdvised = 20;  // times the runs; runs
constexpr double kWorthIt = 0.8;                       // of the log, what more runs must leave

// The median of times that are given as logs.
std::optional<double> median_time(const std::vector<double>& logs) {
  const auto middle = stats::median(logs);
  return middle ? std::optional(std::exp(*middle)) : std::nullopt;
}

AuditTimes times_of(const AuditBenchmark& benchmark, const SidePair& pair,
                    const PairJudgement& judged, double behind_n) {
  return {.unit = benchmark.unit,
          .id = benchmark.id,
          .alone_s = median_time(pair.alone),
          .behind_s = median_time(pair.behind),
          .alone_n = pair.least_n,
          .behind_n = behind_n,
          .alone_runs = static_cast<std::uint32_t>(pair.alone.size()),
          .behind_runs = static_cast<std::uint32_t>(pair.behind.size()),
          .least_seen = judged.least_seen > 0 ? std::exp(judged.least_seen) : 0};
}

bool is_among(const std::vector<AuditOpen>& open, std::uint32_t unit, const std::string& id) {
  return std::ranges::any_of(
      open, [&](const AuditOpen& one) { return one.unit == unit && one.id == id; });
}

// How much more repeats would help, where the runs vary so much that it matters.
void advise(std::span<const SidePair> pairs, std::span<const Scatter> scatters,
            std::uint32_t repeats, AuditFinding& found) {
  if (found.least_seen <= kMuch || repeats >= kMostAdvised) return;
  const std::uint32_t more = std::min(kMore * repeats, kMostAdvised);
  const double then = least_seen_with(pairs, scatters, more);
  if (then > kWorthIt * std::log(found.least_seen)) return;
  found.more_repeats = more;
  found.least_seen_then = std::exp(then);
}

}  // namespace

std::string SuiteAudit::where_it_ended() const {
  std::string text;
  switch (ended_in()) {
    case Phase::pairs:
      text = fmt::format("after {} of {} rounds alone and in the suite", round_ - 1, plan_.runs);
      break;
    case Phase::orders:
      text = "in the other orders";
      break;
    case Phase::twice:
      text = "while every unit ran twice";
      break;
    case Phase::search:
      text = "in the search for who does it";
      break;
    case Phase::memory:
      text = "while it looked for the unit that crosses the memory budget";
      break;
    case Phase::over:
      break;
  }
  std::vector<std::string> not_asked;
  if (ended_in() < Phase::orders && has_order() && suite().reorders)
    not_asked.emplace_back("other orders");
  if (ended_in() < Phase::twice && suite().repeats) not_asked.emplace_back("every unit twice");
  if (ended_in() < Phase::search && has_order()) not_asked.emplace_back("who does it");
  if (!not_asked.empty()) text += fmt::format("; not asked: {}", fmt::join(not_asked, ", "));
  if (const auto left = seconds_left(); left && *left > 0)
    text += fmt::format("; about {} are missing", format_duration(*left));
  return text;
}

// Every benchmark alone and in the suite: its times, and whether that is an answer.
void SuiteAudit::judge_all(AuditFinding& found) const {
  AuditReadings alone = alone_[last_arm()], behind = in_suite_[last_arm()];
  if (!has_all_pairs())  // an open round tells something, too
    for (const auto& answer : answers_)
      if (answer && answer->arm == last_arm())
        table_.read(*answer, answer->units.size() > 1 ? behind : alone);
  const auto pairs = side_pairs(table_, alone, behind);
  const auto scatters = scatters_of(pairs);
  const auto judged = judge_pairs(pairs, scatters);
  std::vector<double> spreads, shifts, seen;
  for (std::uint32_t i = 0; i < table_.size(); ++i) {
    const AuditBenchmark& benchmark = table_[i];
    found.times.push_back(
        times_of(benchmark, pairs[i], judged[i], least_n(readings_at(behind, i))));
    if (pairs[i].alone.empty() || pairs[i].behind.empty()) continue;
    ++found.benchmarks;
    spreads.push_back(scatters[i].range);
    shifts.push_back(judged[i].effect);
    if (judged[i].least_seen > 0) seen.push_back(judged[i].least_seen);
    AuditOpen open{.unit = benchmark.unit,
                   .id = benchmark.id,
                   .factor = std::exp(judged[i].effect),
                   .why = {}};
    const bool large = std::fabs(judged[i].effect) > judged[i].threshold;
    if (!has_all_pairs() || (judged[i].differs && !hunt_)) {
      if (large)
        open.why = fmt::format("looks {}; the audit ended before that was confirmed",
                               judged[i].effect > 0 ? "slower" : "faster");
    } else if (!judged[i].judged) {
      open.why = judged[i].why;
    } else if (large && !judged[i].differs) {
      open.why = "the runs do not agree well enough";
    }
    if (!open.why.empty()) found.open.push_back(std::move(open));
  }
  found.spread = stats::median(spreads).value_or(0);
  found.shift = std::exp(stats::median(shifts).value_or(0));
  if (!has_all_pairs()) return;
  if (const auto typical = stats::median(seen)) found.least_seen = std::exp(*typical);
  advise(pairs, scatters, plan_.runs, found);
  for (AuditTimes& one : found.times) {
    one.judged = one.alone_s && one.behind_s && !is_among(found.open, one.unit, one.id);
    found.judged += one.judged;
  }
}

// Facts and coverage speak for themselves; times need all rounds.
void SuiteAudit::judge_moved(AuditFinding& found) const {
  for (AuditMoved& one : moved_between(table_, alone_, in_suite_)) {
    const bool times = one.by == MovedBy::code || one.by == MovedBy::suite;
    if (has_all_pairs() || !times)
      found.moved.push_back(std::move(one));
    else
      found.open.push_back({.unit = one.unit,
                            .id = one.id,
                            .factor = {},
                            .why = "looks moved; the audit ended before all rounds were made"});
  }
}

Conclusion SuiteAudit::conclude(std::span<const Entry> entries, bool stopped) const {
  Conclusion conclusion;
  conclusion.ended_by = !failure_.empty() ? EndedBy::failure
                        : ended_by_       ? *ended_by_
                        : stopped         ? EndedBy::interrupted
                                          : EndedBy::decided;
  std::vector<const Trial*> trials, last;
  for (const Entry& entry : entries)
    if (const auto* trial = std::get_if<Trial>(&entry)) {
      trials.push_back(trial);
      if (trial->arm == last_arm()) last.push_back(trial);
    }
  const bool finished = conclusion.ended_by == EndedBy::decided;
  AuditFinding found;
  found.costs = costs_;
  std::erase_if(found.costs, [](const AuditCost& cost) { return cost.runs == 0; });
  found.left_out = left_out_;
  found.suite_s = stats::median(suite_seconds_).value_or(0);
  if (!finished && failure_.empty()) found.unfinished = where_it_ended();
  if (hunt_) found.victims = hunt_->victims(found.open);
  if (hunt_ && hunt_->reached_limit())
    found.left_out.push_back(
        fmt::format("search: what was still to ask did not fit {:g} times the suite's own time",
                    suite().search_limit));
  judge_all(found);
  add_what_trials_say(plan_, table_, trials, crosses_at_, found);
  add_changed(table_, last, found);
  if (plan_.arms.size() > 1) judge_moved(found);
  const bool crossed = std::ranges::any_of(found.memory, &UnitMemory::crosses);
  const bool none = found.benchmarks == 0 && has_order() && !stopped;
  const bool any = !found.victims.empty() || !found.missing.empty() || crossed ||
                   !found.moved.empty() || !found.changed.empty();
  conclusion.overall = !failure_.empty() || none ? Verdict::failed
                       : any                     ? Verdict::slower
                       : finished && found.open.empty() && found.benchmarks > 0
                           ? Verdict::equivalent
                           : Verdict::undecided;
  conclusion.failure = failure_;
  if (failure_.empty() && none && !trials.empty())
    conclusion.failure = "no benchmark gave a time both alone and in the suite";
  conclusion.answer =
      (found.unfinished.empty() ? "" : "unfinished, ") + counted(found.victims.size(), "victim");
  conclusion.audit = std::move(found);
  return conclusion;
}

}  // namespace assay::experiment
