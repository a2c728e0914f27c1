// SPDX-License-Identifier: Apache-2.0
#include "experiment/suite_compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/text.hpp"
#include "experiment/blocks.hpp"
#include "experiment/order.hpp"
#include "verdict/look.hpp"

namespace assay::experiment {
namespace {

std::vector<std::vector<std::uint32_t>> processes_of(const SuitePlan& suite) {
  std::vector<std::uint32_t> all(suite.units.size());
  std::iota(all.begin(), all.end(), 0u);
  if (suite.isolation == Isolation::suite) return {all};
  std::vector<std::vector<std::uint32_t>> each;
  for (const std::uint32_t unit : all) each.push_back({unit});
  return each;
}

double suite_seconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

// Why the process of a run says nothing of its benchmarks; empty = it does. An exit status other
// than 0 is one of a benchmark that failed, where there is one.
std::string process_trouble(const Trial& trial, const Plan& plan) {
  const std::string who = fmt::format("its process ({}) ", arm_letter(trial.arm, plan));
  switch (trial.exit.how) {
    case Ending::signalled:
      return who + fmt::format("was killed by signal {}", trial.exit.code);
    case Ending::timed_out:
      return who + "did not end in time";
    case Ending::not_started:
      return who + "could not be started";
    case Ending::exited:
      break;
  }
  if (trial.exit.code == 0 || plan.run.ignore_exit) return {};
  const bool told = std::ranges::any_of(
      trial.measurements, [](const Measurement& m) { return m.status != MeasurementStatus::ok; });
  const bool any = std::ranges::any_of(
      trial.measurements, [](const Measurement& m) { return m.status == MeasurementStatus::ok; });
  return told && any ? std::string() : who + fmt::format("exited with status {}", trial.exit.code);
}

std::string counts_of(const SuiteCompareFinding& found) {
  std::size_t counts[6] = {};
  for (const SuiteCompareRow& row : found.rows)
    if (!row.control) ++counts[static_cast<std::size_t>(row.finding.verdict)];
  static constexpr std::pair<Verdict, std::string_view> kOrder[] = {
      {Verdict::failed, "FAILED"},   {Verdict::slower, "SLOWER"},
      {Verdict::faster, "FASTER"},   {Verdict::undecided, "UNDECIDED"},
      {Verdict::invalid, "INVALID"}, {Verdict::equivalent, "EQUIVALENT"}};
  std::vector<std::string> parts;
  for (const auto& [verdict, word] : kOrder)
    if (const std::size_t count = counts[static_cast<std::size_t>(verdict)]; count > 0)
      parts.push_back(fmt::format("{} {}", count, word));
  return fmt::format("{}", fmt::join(parts, ", "));
}

// What B has and A has not is news, not a failure.
Verdict overall_of(const SuiteCompareFinding& found) {
  Verdict overall = Verdict::equivalent;
  for (const SuiteCompareRow& row : found.rows)
    if (!row.control && row.presence != Presence::only_candidate)
      overall = std::max(overall, row.finding.verdict);
  return found.rows.empty() ? Verdict::failed : overall;
}

void warn_of_controls(const Plan& plan, const SuiteCompareFinding& found,
                      std::vector<Warning>& warnings) {
  for (const std::string& pattern : plan.suite->controls) {
    const bool any = std::ranges::any_of(
        found.rows, [&](const SuiteCompareRow& row) { return matches_pattern(row.id, pattern); });
    if (!any)
      warnings.push_back({WarningKind::control,
                          fmt::format("--control '{}' names no benchmark", printable(pattern))});
  }
  for (const SuiteCompareRow& row : found.rows) {
    if (!row.control) continue;
    const Verdict verdict = row.finding.verdict;
    if (verdict == Verdict::slower || verdict == Verdict::faster)
      warnings.push_back(
          {WarningKind::control,
           fmt::format("the control {} moved, which the change cannot reach: the sides differ in "
                       "something else, and no verdict counts",
                       printable(row.id))});
    else if (!row.trouble.empty())
      warnings.push_back(
          {WarningKind::control, fmt::format("the control {} says nothing: {}", printable(row.id),
                                             printable(row.trouble))});
  }
}

}  // namespace

SuiteCompare::SuiteCompare(Plan plan)
    : plan_(std::move(plan)),
      processes_(processes_of(*plan_.suite)),
      groups_(processes_.size()),
      table_(plan_, processes_) {
  open_warmup();
}

// One discarded run of A and then of B, of every group.
void SuiteCompare::open_warmup() {
  for (std::size_t group = 0; group < groups_.size(); ++group)
    for (Run run : warmup_runs(plan_.seed, plan_.id_for_order, {0, 1})) {
      run.slot = static_cast<std::uint32_t>(runs_.size());
      run.units = processes_[group];
      runs_.push_back(std::move(run));
      group_of_run_.push_back(group);
    }
  made_.assign(runs_.size(), std::nullopt);
  if (runs_.empty()) ended_by_ = EndedBy::failure;
}

// The labels of a group's block depend on the seed, the group and how many it had.
void SuiteCompare::open_block(std::size_t group) {
  Group& state = groups_[group];
  group_ = group;
  ++block_;
  const std::string id = fmt::format("{}/{}", plan_.id_for_order,
                                     plan_.suite->isolation == Isolation::suite
                                         ? std::string("suite")
                                         : plan_.suite->units[processes_[group].front()].name);
  runs_ = shuffled_block(plan_.seed, id, state.blocks + 1, {0, 1}, kRunsPerArm);
  part_until_ = 0;
  for (Run& run : runs_) {
    run.block = block_;
    run.units = processes_[group];
    if (state.longest > 0) run.limit_s = std::max(10 * state.longest, state.longest + 5);
  }
  group_of_run_.assign(runs_.size(), group);
  made_.assign(runs_.size(), std::nullopt);
  open_seconds_ = 0;
}

// Blocks until the group's next look within the cap.
std::optional<std::uint32_t> SuiteCompare::blocks_to_look(const Group& group) const {
  const std::uint32_t runs = group.blocks * kRunsPerArm;
  for (const std::uint32_t look : verdict::kLooks)
    if (look > runs)
      return look <= plan_.max_runs ? std::optional((look - runs) / kRunsPerArm) : std::nullopt;
  return {};
}

// No whole block fits any more: what is left of the budget is shared among the units that had none.
void SuiteCompare::open_part() {
  std::vector<std::size_t> waiting;
  for (std::size_t g = 0; g < groups_.size(); ++g)
    if (table_.is_open(g) && groups_[g].blocks == 0 && !groups_[g].had_part &&
        seconds_ + 2 * groups_[g].longest <= plan_.time_budget_s)
      waiting.push_back(g);
  if (waiting.empty()) return;
  ended_by_.reset();
  const double share = (plan_.time_budget_s - seconds_) / static_cast<double>(waiting.size());
  groups_[waiting.front()].had_part = true;
  open_block(waiting.front());
  part_until_ = seconds_ + share;
}

// Whether the next run leaves the budget, or the unit's share of it when either side had a run.
bool SuiteCompare::is_part_over(std::span<const Entry> entries) const {
  const double then = seconds_ + groups_[group_].longest;
  if (then > plan_.time_budget_s) return true;
  bool has[2] = {false, false};
  for (const auto& at : made_)
    if (at) has[std::get<Trial>(entries[*at]).arm == 0 ? 0 : 1] = true;
  return has[0] && has[1] && then > part_until_;
}

// The open block ends here; medians are all that it is good for.
void SuiteCompare::end_part(std::span<const Entry> entries) {
  std::vector<const Trial*> trials;
  for (const auto& at : made_)
    if (at) trials.push_back(&std::get<Trial>(entries[*at]));
  table_.take_part(group_, trials);
  open_next();
}

double SuiteCompare::block_seconds(const Group& group) const {
  return group.blocks > 0 ? group.seconds / group.blocks : 2 * kRunsPerArm * group.longest;
}

// The open group that has been run least and can get to its next look.
std::optional<std::size_t> SuiteCompare::choose() {
  const double left = plan_.time_budget_s - seconds_;
  std::optional<std::size_t> best;
  bool any_open = false, any_possible = false, any_hopeful = false;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (!table_.is_open(g)) continue;
    any_open = true;
    const auto blocks = blocks_to_look(groups_[g]);
    if (!blocks) continue;
    any_possible = true;
    if (table_.is_futile(g, plan_.max_runs)) continue;
    any_hopeful = true;
    if (plan_.time_budget_s > 0 && *blocks * block_seconds(groups_[g]) > left) continue;
    if (!best || groups_[g].blocks < groups_[*best].blocks) best = g;
  }
  if (!best)
    ended_by_ = !any_open       ? EndedBy::decided
                : !any_possible ? EndedBy::max_runs
                : !any_hopeful  ? EndedBy::futility
                                : EndedBy::time_budget;
  return best;
}

// The group at hand goes on to its look, unless all of its verdicts are there.
void SuiteCompare::open_next() {
  Group& at_hand = groups_[group_];
  if (at_hand.blocks_to_go > 0 && table_.is_open(group_)) {
    --at_hand.blocks_to_go;
    open_block(group_);
    return;
  }
  const auto group = choose();
  if (!group) {
    if (ended_by_ == EndedBy::time_budget) open_part();
    return;
  }
  groups_[*group].blocks_to_go = *blocks_to_look(groups_[*group]) - 1;
  open_block(*group);
}

void SuiteCompare::end_block(std::span<const Entry> entries) {
  if (block_ == 0) {
    table_.end_warmup();
    open_next();
    return;
  }
  std::vector<const Trial*> trials;
  for (const auto& at : made_) trials.push_back(&std::get<Trial>(entries[*at]));
  table_.take_block(group_, trials);
  ++groups_[group_].blocks;
  groups_[group_].seconds += open_seconds_;
  open_next();
}

void SuiteCompare::take(std::span<const Entry> entries, std::size_t index) {
  const Trial& trial = std::get<Trial>(entries[index]);
  const double seconds = suite_seconds(trial.duration);
  ++runs_done_;
  seconds_ += seconds;
  open_seconds_ += seconds;
  const bool fits = trial.block == block_ && trial.slot < runs_.size() &&
                    runs_[trial.slot].arm == trial.arm && !made_[trial.slot] &&
                    trial.units == runs_[trial.slot].units;
  if (!fits) {
    failure_ =
        fmt::format("run {} does not belong to this plan: the record is damaged", runs_done_);
    ended_by_ = EndedBy::failure;
    return;
  }
  made_[trial.slot] = index;
  const std::size_t group = group_of_run_[trial.slot];
  const std::string trouble = process_trouble(trial, plan_);
  if (trouble.empty()) groups_[group].longest = std::max(groups_[group].longest, seconds);
  if (block_ == 0) table_.take_warmup(group, trial);
  if (!trouble.empty()) table_.give_up(group, trouble);
  // The rest of the block of a group that gave up is not made.
  if (!trouble.empty() && block_ > 0) {
    groups_[group].blocks_to_go = 0;
    open_next();
    return;
  }
  if (std::ranges::all_of(made_, [](const auto& at) { return at.has_value(); }))
    end_block(entries);
  else if (part_until_ > 0 && is_part_over(entries))
    end_part(entries);
}

Step SuiteCompare::next(std::span<const Entry> entries, std::size_t jobs_in_flight) {
  for (; entries_read_ < entries.size() && !ended_by_; ++entries_read_) {
    const Entry& entry = entries[entries_read_];
    if (const auto* build = std::get_if<Build>(&entry)) {
      seconds_ += suite_seconds(build->duration);
      if (build->ok) continue;
      failure_ = fmt::format("{} does not build", arm_letter(build->arm, plan_));
      ended_by_ = EndedBy::failure;
    } else if (std::holds_alternative<Trial>(entry)) {
      take(entries, entries_read_);
    }
  }
  const bool stopped = is_stopped(entries);
  if (ended_by_ || stopped) return conclude(entries, stopped && !ended_by_);
  if (jobs_in_flight > 0) return Wait{};
  Job job;
  for (std::size_t slot = 0; slot < runs_.size(); ++slot)
    if (!made_[slot]) job.runs.push_back(runs_[slot]);
  // Many warm-ups, or a unit that takes minutes: one at a time, so that what fails is seen at once.
  job.ends_block = job.runs.size() == 1;
  job.runs.resize(1);
  return job;
}

Conclusion SuiteCompare::conclude(std::span<const Entry>, bool stopped) const {
  Conclusion conclusion;
  conclusion.ended_by = stopped ? EndedBy::interrupted : ended_by_.value_or(EndedBy::failure);
  conclusion.suite_compare = table_.finding();
  const SuiteCompareFinding& found = *conclusion.suite_compare;
  conclusion.failure = failure_;
  conclusion.overall = failure_.empty() ? overall_of(found) : Verdict::failed;
  conclusion.withheld = table_.control_moved();
  conclusion.answer = failure_.empty() ? counts_of(found) : failure_;
  warn_of_controls(plan_, found, conclusion.warnings);
  warn_of_budget(conclusion.warnings);
  return conclusion;
}

// A family of several can claim something at its second look.
std::uint32_t SuiteCompare::first_word_runs() const {
  return table_.family() > 1 ? 2 * kRunsPerArm : kRunsPerArm;
}

// What the budget was too short for, of units without a word.
void SuiteCompare::warn_of_budget(std::vector<Warning>& warnings) const {
  if (ended_by_ != EndedBy::time_budget) return;
  double needed = 0;
  std::vector<std::string> names;
  const std::uint32_t runs = first_word_runs();
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (groups_[g].blocks * kRunsPerArm >= runs || !table_.is_open(g)) continue;
    needed += block_seconds(groups_[g]) * runs / kRunsPerArm;
    names.push_back(plan_.suite->isolation == Isolation::suite
                        ? std::string("the suite")
                        : printable(plan_.suite->units[processes_[g].front()].name));
  }
  if (names.empty()) return;
  const std::string more =
      names.size() > 1 ? fmt::format(" and {} more", names.size() - 1) : std::string();
  warnings.push_back(
      {WarningKind::budget,
       fmt::format(
           "{} runs a side of {}{}, with which a first word is possible, need about {}; the "
           "budget is {}",
           runs, names.front(), more, format_duration(needed),
           format_duration(plan_.time_budget_s))});
}

Progress SuiteCompare::progress() const {
  Progress progress{.blocks_done = block_ == 0 ? 0 : block_ - 1,
                    .runs_done = runs_done_,
                    .seconds_used = seconds_,
                    .seconds_left = {},
                    .block_seconds = {},
                    .findings = {}};
  progress.status =
      block_ == 0 ? fmt::format("warm-up {} of {}", runs_done_, runs_.size())
                  : fmt::format("{} of {} benchmarks open", table_.open_count(), table_.size());
  // At least until every open group is at the first size at which a family can claim anything.
  constexpr std::uint32_t kLeastBlocks = 3;
  double left = 0;
  for (std::size_t g = 0; g < groups_.size(); ++g)
    if (block_ == 0 || table_.is_open(g)) {
      const std::uint32_t blocks = groups_[g].blocks;
      left += block_seconds(groups_[g]) * (blocks < kLeastBlocks ? kLeastBlocks - blocks : 1);
    }
  if (plan_.time_budget_s > 0) left = std::min(left, std::max(0.0, plan_.time_budget_s - seconds_));
  if (runs_done_ > 0) progress.seconds_left = left;
  return progress;
}

}  // namespace assay::experiment
