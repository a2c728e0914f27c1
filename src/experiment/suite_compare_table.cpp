// SPDX-License-Identifier: Apache-2.0
#include "experiment/suite_compare_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.hpp"
#include "experiment/blocks.hpp"
#include "experiment/order.hpp"
#include "stats/iterations.hpp"
#include "stats/order.hpp"
#include "verdict/family.hpp"

namespace assay::experiment {
namespace {

constexpr double kSameFact = 1e-9;            // relative
constexpr std::uint32_t kSuiteTailRuns = 96;  // --tails

// One value a process: the median of its repetitions behind the first ones where the tool tells
// them (rule.md section 1), else what it reports.
std::optional<double> suite_value(const Measurement& measurement) {
  if (measurement.status != MeasurementStatus::ok) return {};
  if (measurement.samples.size() >= 3) return stats::iteration_summary(measurement.samples);
  return measurement.value;
}

bool is_same(double a, double b) {
  return std::fabs(a - b) <= kSameFact * std::max(std::fabs(a), std::fabs(b));
}

std::string in_run(const Trial& trial, std::uint32_t number, const Plan& plan) {
  return fmt::format("in run {} ({})", number, arm_letter(trial.arm, plan));
}

std::string with_message(std::string text, const Measurement& measurement) {
  if (measurement.message.empty()) return text;
  return text + ": " + shorten(printable(measurement.message), 120);
}

}  // namespace

SuiteCompareTable::SuiteCompareTable(const Plan& plan,
                                     const std::vector<std::vector<std::uint32_t>>& groups)
    : plan_(plan), groups_(groups), states_(groups.size()) {
  const auto found = std::ranges::find(plan.metrics, "peak_mem", &Metric::name);
  if (found != plan.metrics.end())
    memory_metric_ = static_cast<std::size_t>(found - plan.metrics.begin());
  for (std::size_t group = 0; group < groups.size(); ++group)
    for (const std::uint32_t unit : groups[group])
      for (const std::string& id : plan.suite->units[unit].ids) row_of(group, unit, id);
}

SuiteCompareTable::Row& SuiteCompareTable::row_of(std::size_t group, std::uint32_t unit,
                                                  const std::string& id) {
  const auto [place, is_new] = places_.try_emplace({unit, id}, rows_.size());
  if (is_new) {
    Row row;  // no designated initialiser: GCC 12 fails on arrays of defaults behind one
    row.group = group;
    row.row = {.unit = unit, .id = id};
    row.row.control = std::ranges::any_of(plan_.suite->controls, [&](const std::string& pattern) {
      return matches_pattern(id, pattern);
    });
    rows_.push_back(std::move(row));
  }
  return rows_[place->second];
}

void SuiteCompareTable::close(Row& row, Verdict verdict, Reason reason, std::string trouble) {
  if (row.closed) return;
  row.closed = true;
  row.row.finding.verdict = verdict;
  row.row.finding.reason = reason;
  row.row.trouble = std::move(trouble);
}

void SuiteCompareTable::take_warmup(std::size_t group, const Trial& trial) {
  const std::size_t side = trial.arm == 0 ? 0 : 1;
  for (const Measurement& measurement : trial.measurements) {
    if (measurement.position >= trial.units.size()) continue;
    Row& row = row_of(group, trial.units[measurement.position], measurement.id);
    row.seen[side] = row.seen[side] || suite_value(measurement).has_value();
    if (measurement.status == MeasurementStatus::failed)
      close(row, Verdict::failed, Reason::run_failed,
            with_message(fmt::format("failed in its first run of {}", arm_letter(trial.arm, plan_)),
                         measurement));
  }
}

void SuiteCompareTable::end_warmup() {
  for (Row& row : rows_) {
    const bool a = row.seen[0], b = row.seen[1];
    row.row.presence = a && b ? Presence::both
                       : a    ? Presence::only_baseline
                       : b    ? Presence::only_candidate
                              : Presence::neither;
    if (!a || !b)
      close(row, Verdict::failed, Reason::missing_metric,
            a   ? "B does not have it"
            : b ? "A does not have it"
                : "neither side gave a time");
    if (row.closed) continue;
    ++(row.row.control ? controls_ : family_);
  }
}

void SuiteCompareTable::give_up(std::size_t group, const std::string& why) {
  if (states_[group].trouble.empty()) states_[group].trouble = why;
  for (Row& row : rows_)
    if (row.group == group) close(row, Verdict::failed, Reason::run_failed, why);
}

void SuiteCompareTable::take_value(Row& row, const Measurement& measurement, const Trial& trial,
                                   std::uint32_t number) {
  Side& side = row.sides[trial.arm == 0 ? 0 : 1];
  switch (measurement.status) {
    case MeasurementStatus::failed:
      close(row, Verdict::failed, Reason::run_failed,
            with_message("failed " + in_run(trial, number, plan_), measurement));
      return;
    case MeasurementStatus::missing:
    case MeasurementStatus::skipped:
      close(row, Verdict::failed, Reason::missing_metric,
            with_message("gave nothing " + in_run(trial, number, plan_), measurement));
      return;
    case MeasurementStatus::ok:
      break;
  }
  const std::optional<double> value = suite_value(measurement);
  if (!value) {
    close(row, Verdict::failed, Reason::missing_metric,
          "gave no time " + in_run(trial, number, plan_));
    return;
  }
  side.values.push_back(*value);
  for (const Fact& fact : measurement.facts) {
    const auto before = std::ranges::find(side.facts, fact.name, &Fact::name);
    if (before == side.facts.end())
      side.facts.push_back(fact);
    else if (!is_same(before->value, fact.value))
      side.varying.push_back(fact.name);
  }
}

void SuiteCompareTable::take_run(std::size_t group, const Trial& trial, std::uint32_t number) {
  std::set<std::size_t> given;  // places: rows_ may grow here
  for (const Measurement& measurement : trial.measurements) {
    if (measurement.position >= trial.units.size()) continue;
    const std::uint32_t unit = trial.units[measurement.position];
    const bool is_known = places_.contains({unit, measurement.id});
    Row& row = row_of(group, unit, measurement.id);
    if (!is_known)
      close(row, Verdict::failed, Reason::missing_metric,
            "came up only " + in_run(trial, number, plan_) + ": its ids change between runs");
    if (row.closed) continue;
    if (!given.insert(places_.at({unit, measurement.id})).second)
      close(row, Verdict::failed, Reason::run_failed, "came twice " + in_run(trial, number, plan_));
    else
      take_value(row, measurement, trial, number);
  }
  for (std::size_t place = 0; place < rows_.size(); ++place)
    if (rows_[place].group == group && !rows_[place].closed && !given.contains(place))
      close(rows_[place], Verdict::failed, Reason::missing_metric,
            "gave nothing " + in_run(trial, number, plan_));
  if (memory_metric_ && *memory_metric_ < trial.values.size() && trial.values[*memory_metric_])
    states_[group].memory[trial.arm == 0 ? 0 : 1].push_back(*trial.values[*memory_metric_]);
}

// A figure that stays on either side and is not the same on both is a different workload.
void SuiteCompareTable::compare_facts(Row& row) {
  const auto varies = [](const Side& side, const std::string& name) {
    return std::ranges::find(side.varying, name) != side.varying.end();
  };
  for (const Fact& a : row.sides[0].facts) {
    const auto b = std::ranges::find(row.sides[1].facts, a.name, &Fact::name);
    if (b == row.sides[1].facts.end() || is_same(a.value, b->value)) continue;
    if (varies(row.sides[0], a.name) || varies(row.sides[1], a.name)) continue;
    row.row.facts.push_back({a.name, a.value, b->value});
  }
  if (!row.row.facts.empty())
    close(row, Verdict::invalid, Reason::workload_differs,
          fmt::format("{} is {:g} in A and {:g} in B", printable(row.row.facts.front().name),
                      row.row.facts.front().baseline, row.row.facts.front().candidate));
}

void SuiteCompareTable::feed(Row& row) {
  if (!row.test) {
    const std::size_t family = row.row.control ? controls_ : family_;
    verdict::RuleOptions options{.tolerance = plan_.tolerance,
                                 .max_runs = plan_.max_runs,
                                 .alpha = 0.01 / static_cast<double>(std::max<std::size_t>(
                                                     1, family * (1 + plan_.earlier_p.size())))};
    if (plan_.tails) options.min_equivalent_runs = kSuiteTailRuns;
    row.test.emplace(options);
  }
  const auto last = [](const Side& side) {
    return std::span<const double>(side.values).last(kRunsPerArm);
  };
  row.test->add_block(last(row.sides[0]), last(row.sides[1]));
}

void SuiteCompareTable::take_block(std::size_t group, std::span<const Trial* const> trials) {
  Group& state = states_[group];
  std::uint32_t number = 2 * state.runs;
  for (const Trial* trial : trials) take_run(group, *trial, ++number);
  state.runs += kRunsPerArm;
  for (Row& row : rows_) {
    if (row.group != group || row.closed) continue;
    if (row.row.facts.empty()) compare_facts(row);
    feed(row);
  }
}

void SuiteCompareTable::take_part(std::size_t group, std::span<const Trial* const> trials) {
  std::uint32_t number = 0;
  for (const Trial* trial : trials) take_run(group, *trial, ++number);
}

bool SuiteCompareTable::is_open(std::size_t group) const {
  return std::ranges::any_of(rows_, [&](const Row& row) {
    return row.group == group && !row.closed && (!row.test || row.test->is_open());
  });
}

bool SuiteCompareTable::is_futile(std::size_t group, std::uint32_t reachable) const {
  return std::ranges::all_of(rows_, [&](const Row& row) {
    if (row.group != group || row.closed || (row.test && !row.test->is_open())) return true;
    return row.test && row.test->is_futile(reachable);
  });
}

std::size_t SuiteCompareTable::open_count() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      rows_, [](const Row& row) { return !row.closed && (!row.test || row.test->is_open()); }));
}

bool SuiteCompareTable::control_moved() const {
  return std::ranges::any_of(rows_, [](const Row& row) {
    if (!row.row.control || row.closed || !row.test) return false;
    return row.test->verdict() == Verdict::slower || row.test->verdict() == Verdict::faster;
  });
}

MetricFinding SuiteCompareTable::finding_of(const Row& row, std::uint32_t index) const {
  MetricFinding found = row.row.finding;
  found.arm = 1;
  found.metric = index;
  const auto a = row.sides[0].values.size(), b = row.sides[1].values.size();
  found.all_runs = static_cast<std::uint32_t>(std::min(a, b) / kRunsPerArm * kRunsPerArm);
  if (row.test) {
    found.reading = row.test->reading();
    if (!row.closed) {
      found.verdict = row.test->verdict();
      found.reason = row.test->reason();
      if (!row.test->is_open() && found.verdict != Verdict::invalid &&
          found.all_runs > found.reading.runs)
        found.since_then = row.test->estimate_of_all();
    }
  }
  const bool is_part = !row.test && !row.closed;
  if (is_part) found.all_runs = static_cast<std::uint32_t>(std::min(a, b));
  const auto median = [&](const Side& side) {
    const std::size_t count = is_part
                                  ? side.values.size()
                                  : std::min<std::size_t>(found.reading.runs, side.values.size());
    return stats::median(std::span<const double>(side.values).first(count)).value_or(0);
  };
  found.baseline_median = median(row.sides[0]);
  found.candidate_median = median(row.sides[1]);
  return found;
}

// Holm over the whole family: those that were closed are in it with p = 1.
void SuiteCompareTable::correct_family(std::vector<SuiteCompareRow>& rows) const {
  std::vector<MetricFinding*> family;
  std::vector<verdict::FamilyMember> members;
  for (SuiteCompareRow& row : rows) {
    if (row.control || row.presence != Presence::both) continue;
    family.push_back(&row.finding);
    members.push_back({row.finding.verdict, row.trouble.empty() ? row.finding.reading : Reading{},
                       plan_.tolerance});
  }
  const auto outcomes = verdict::family_holm(members);
  for (std::size_t i = 0; i < family.size(); ++i) {
    if (!outcomes[i].by_holm) continue;
    if (!verdict::correct_for_reruns(outcomes[i].adjusted_p, plan_.earlier_p, family.size()).stands)
      continue;
    MetricFinding& found = *family[i];
    found.verdict = outcomes[i].verdict;
    found.reason = Reason::decided;
    found.by_holm = true;
    found.reading.sign = found.verdict == Verdict::slower ? Sign::slower : Sign::faster;
    found.reading.more = 0;
  }
}

SuiteCompareFinding SuiteCompareTable::finding() const {
  SuiteCompareFinding found{.family = family_};
  for (const Row& row : rows_) {
    found.rows.push_back(row.row);
    found.rows.back().finding = finding_of(row, static_cast<std::uint32_t>(found.rows.size() - 1));
  }
  correct_family(found.rows);
  double sum = 0;
  for (const SuiteCompareRow& row : found.rows) {
    if (row.control || !row.trouble.empty() || !row.finding.reading.estimate) continue;
    sum += *row.finding.reading.estimate;
    ++found.mean_of;
  }
  if (found.mean_of > 0) found.geometric_mean = std::exp(sum / found.mean_of);
  for (std::size_t group = 0; group < states_.size(); ++group) {
    if (groups_[group].empty()) continue;
    const Group& state = states_[group];
    found.units.push_back({.unit = groups_[group].front(),
                           .runs = state.runs,
                           .baseline_memory = stats::median(state.memory[0]),
                           .candidate_memory = stats::median(state.memory[1]),
                           .trouble = state.trouble});
  }
  return found;
}

}  // namespace assay::experiment
