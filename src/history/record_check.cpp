// SPDX-License-Identifier: Apache-2.0
#include "history/record_check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/plan_check.hpp"

namespace assay::history {
namespace {

constexpr std::size_t kMaxMemorySamples = 512;
constexpr std::uint32_t kMaxPad = 4095;

// "trial: arm 7 of 2": indices from 0, so the last good one is count - 1.
Result<void> within(const char* what, std::size_t index, std::size_t count) {
  if (index < count) return {};
  return fail(fmt::format("{} {} of {}", what, index, count));
}

bool is_commit(std::string_view text) {
  return (text.size() == 40 || text.size() == 64) &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

Result<void> check_reading(const Reading& reading) {
  if (reading.p_seq >= 0 && reading.p_seq <= 1) return {};
  return fail(fmt::format("conclusion: p_seq {:g} is not between 0 and 1", reading.p_seq));
}

Result<void> check_trial(const Plan& plan, const Trial& trial) {
  if (auto good = within("trial: arm", trial.arm, plan.arms.size()); !good) return good;
  if (trial.values.size() != plan.metrics.size())
    return fail(
        fmt::format("trial: {} values for {} metrics", trial.values.size(), plan.metrics.size()));
  if (trial.memory.size() > kMaxMemorySamples)
    return fail(fmt::format("trial: {} memory samples, at most {}", trial.memory.size(),
                            kMaxMemorySamples));
  if (trial.pad > kMaxPad)
    return fail(fmt::format("trial: pad {}, at most {}", trial.pad, kMaxPad));
  if (trial.duration.count() < 0) return fail("trial: negative duration");
  return {};
}

// Indices into the plan and its design: reports follow them.
class DesignCheck {
 public:
  DesignCheck(const Plan& plan, const Conclusion& conclusion)
      : arms_(plan.arms.size()),
        design_(plan.design.value_or(Design{})),
        findings_(conclusion.findings.size()) {}

  Result<void> operator()(const Conclusion& conclusion) {
    for (const BrokenArm& broken : conclusion.broken) arm(broken.arm);
    if (conclusion.sweep) sweep(*conclusion.sweep);
    if (conclusion.ablate) ablate(*conclusion.ablate);
    if (conclusion.bisect) bisect(*conclusion.bisect);
    if (conclusion.timeline)
      for (const TimelineCommit& one : conclusion.timeline->commits) {
        arm(one.to_first.arm);
        if (one.undone_by) arm(*one.undone_by);
      }
    return worst_;
  }

 private:
  void check(const char* what, std::size_t index, std::size_t count) {
    if (worst_) worst_ = within(what, index, count);
  }
  void arm(std::size_t index) { check("conclusion: arm", index, arms_); }
  void commit(std::size_t index) { check("conclusion: commit", index, design_.commits.size()); }
  void finding(const std::optional<std::uint32_t>& index) {
    if (index) check("conclusion: finding", *index, findings_);
  }
  void sweep(const SweepFinding& found) {
    for (const ParameterFinding& one : found.parameters) {
      check("conclusion: parameter", one.parameter, design_.parameters.size());
      if (worst_ && one.at)
        check("conclusion: level", *one.at, design_.parameters[one.parameter].levels.size());
    }
    for (const ArmFinding& level : found.levels) arm(level.arm);
    for (const std::uint32_t on_front : found.pareto) arm(on_front);
    if (found.knee) arm(*found.knee);
    if (found.memory && found.memory->largest_fit) arm(*found.memory->largest_fit);
    if (found.interaction) arm(found.interaction->arm);
  }
  void term(const Term& one) {
    for (const std::uint32_t change : one.changes)
      check("conclusion: change", change, design_.changes.size());
    finding(one.finding);
  }
  void ablate(const AblateFinding& found) {
    for (const Term& one : found.terms) term(one);
    for (const Term& one : found.undecided) term(one);
    for (const ArmFinding& one : found.configurations) arm(one.arm);
    for (const EffectRow& row : found.effects) arm(row.changes);
    arm(found.best);
  }
  void bisect(const BisectFinding& found) {
    for (const CommitFinding& one : found.commits) commit(one.commit);
    for (const Culprit& culprit : found.culprits) {
      commit(culprit.commit);
      for (const std::uint32_t member : culprit.set) commit(member);
      finding(culprit.finding);
      finding(culprit.reverted);
    }
  }

  std::size_t arms_;
  Design design_;
  std::size_t findings_;
  Result<void> worst_ = {};
};

}  // namespace

Result<void> check_plan_shape(const Plan& plan) {
  if (plan.arms.empty()) return fail("plan: no arms");
  for (const Subject& arm : plan.arms)
    if (arm.argv.empty()) return fail("plan: an arm without a command");
  if (plan.control)
    if (auto good = within("plan: control", *plan.control, plan.arms.size()); !good) return good;
  for (const Subject& arm : plan.arms)
    if (arm.build && !is_commit(arm.build->commit)) return fail("plan: build: commit: no commit");
  if (auto good = check_plan(plan); !good) return fail("plan: " + good.error().what);
  return {};
}

Result<void> check_entry_shape(const Plan& plan, const Entry& entry) {
  if (const auto* trial = std::get_if<Trial>(&entry)) return check_trial(plan, *trial);
  if (const auto* build = std::get_if<Build>(&entry))
    return within("build: arm", build->arm, plan.arms.size());
  return {};
}

Result<void> check_conclusion_shape(const Record& record, const Conclusion& conclusion) {
  const Plan& plan = record.plan;
  for (const MetricFinding& finding : conclusion.findings) {
    if (auto good = within("conclusion: arm", finding.arm, plan.arms.size()); !good) return good;
    if (auto good = within("conclusion: metric", finding.metric, plan.metrics.size()); !good)
      return good;
    if (auto good = check_reading(finding.reading); !good) return good;
  }
  for (const Conclusion::Floor& floor : conclusion.floors)
    if (auto good = within("conclusion: metric", floor.metric, plan.metrics.size()); !good)
      return good;
  if (auto good = DesignCheck(plan, conclusion)(conclusion); !good) return good;
  if (!conclusion.failed_trial) return {};
  const auto trials =
      std::count_if(record.entries.begin(), record.entries.end(),
                    [](const Entry& entry) { return std::holds_alternative<Trial>(entry); });
  return within("conclusion: failed trial", *conclusion.failed_trial,
                static_cast<std::size_t>(trials));
}

}  // namespace assay::history
