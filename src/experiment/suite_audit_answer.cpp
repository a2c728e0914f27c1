// SPDX-License-Identifier: Apache-2.0
// What can be read off the trials of an audit alone: missing benchmarks, doubts, memory, revisions.
#include <algorithm>
#include <cmath>
#include <map>

#include "experiment/suite_audit.hpp"
#include "experiment/suite_audit_memory.hpp"

namespace assay::experiment {
namespace {

bool is_whole_suite(const Plan& plan, const Trial& trial) {
  if (trial.units.size() != plan.suite->units.size() || trial.units.size() < 2) return false;
  for (std::uint32_t i = 0; i < trial.units.size(); ++i)
    if (trial.units[i] != i) return false;
  return true;
}

// Benchmarks of the runs alone and of the suite that did not come out.
void add_missing(const AuditTable& table, const Plan& plan, std::span<const Trial* const> trials,
                 AuditFinding& found) {
  std::map<std::pair<std::uint32_t, std::string>, AuditMissing> missing;
  const auto note = [&](const Trial& trial, std::uint32_t unit, const std::string& id,
                        const std::string& message) {
    AuditMissing& one = missing[{unit, id}];
    one.unit = unit;
    one.id = id;
    (trial.units.size() == 1 ? one.alone : one.in_suite) = true;
    one.exit_zero = one.exit_zero || trial.exit == Exit{};
    if (!message.empty()) one.message = message;
  };
  for (const Trial* trial : trials) {
    if (trial->units.size() != 1 && !is_whole_suite(plan, *trial)) continue;
    for (std::uint32_t position = 0; position < trial->units.size(); ++position) {
      const std::uint32_t unit = trial->units[position];
      for (const std::string& id : plan.suite->units[unit].ids) {
        const auto at = std::ranges::find_if(trial->measurements, [&](const Measurement& one) {
          return one.position == position && one.id == id;
        });
        const bool gone = at == trial->measurements.end() ||
                          at->status == MeasurementStatus::missing ||
                          at->status == MeasurementStatus::failed;
        if (gone)
          note(*trial, unit, id, at == trial->measurements.end() ? std::string() : at->message);
      }
      for (const Measurement& one : trial->measurements)  // of units that no listing describes
        if (one.position == position &&
            (one.status == MeasurementStatus::missing || one.status == MeasurementStatus::failed))
          note(*trial, unit, one.id, one.message);
    }
  }
  for (std::size_t i = 0; i < table.size(); ++i)
    if (const auto at = missing.find({table[i].unit, table[i].id}); at != missing.end())
      found.missing.push_back(at->second);
}

// Whether a difference in the suite is not that of the benchmark alone, which may be undecided.
bool is_suites_own(const PairJudgement& alone, const PairJudgement& in_suite) {
  return alone.judged && std::fabs(in_suite.effect - alone.effect) > in_suite.threshold &&
         std::fabs(alone.effect) < alone.threshold / 2;
}

}  // namespace

void add_what_trials_say(const Plan& plan, const AuditTable& table,
                         std::span<const Trial* const> trials,
                         std::optional<std::uint32_t> crosses_at, AuditFinding& found) {
  const auto last = static_cast<std::uint32_t>(plan.arms.size()) - 1;
  std::vector<const Trial*> own, alone, whole;
  for (const Trial* trial : trials) {
    if (trial->arm != last) continue;
    own.push_back(trial);
    if (trial->units.size() == 1) alone.push_back(trial);
    if (is_whole_suite(plan, *trial)) whole.push_back(trial);
  }
  // A unit behind itself adds up twice what it says.
  std::vector<const Trial*> once;
  for (const Trial* trial : own)
    if (!has_repeats(*trial)) once.push_back(trial);
  found.doubts = free_signs(*plan.suite, once);
  add_missing(table, plan, own, found);
  found.memory = unit_memory(plan, alone, whole, crosses_at);
  std::erase_if(found.memory, [](const UnitMemory& one) {
    return !one.retained && !one.transient && !one.peak && !one.held;
  });
}

std::vector<AuditMoved> moved_between(const AuditTable& table, std::span<const AuditReadings> alone,
                                      std::span<const AuditReadings> in_suite) {
  const auto own = side_pairs(table, alone[0], alone[1]);
  const auto behind = side_pairs(table, in_suite[0], in_suite[1]);
  const auto own_judged = judge_pairs(own, scatters_of(own));
  const auto behind_judged = judge_pairs(behind, scatters_of(behind));
  std::vector<AuditMoved> moved;
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    AuditMoved one{.unit = table[i].unit, .id = table[i].id};
    const auto& before = readings_at(alone[0], i);
    const auto& now = readings_at(alone[1], i);
    if (!own[i].alone.empty() && !own[i].behind.empty()) one.alone = std::exp(own_judged[i].effect);
    if (!behind[i].alone.empty() && !behind[i].behind.empty())
      one.in_suite = std::exp(behind_judged[i].effect);
    if (!before.empty() && now.empty()) {
      one.by = MovedBy::coverage;
      one.text = "it gave a time before, and gives none now";
    } else if (const auto facts = changed_facts(pointers_to(before), pointers_to(now));
               !facts.empty()) {
      one.by = MovedBy::workload;
      one.text = facts;
    } else if (own_judged[i].differs) {
      one.by = MovedBy::code;
      one.text = "its time alone moved";
    } else if (behind_judged[i].differs && is_suites_own(own_judged[i], behind_judged[i])) {
      one.by = MovedBy::suite;
      one.text = "only its time in the suite moved";
    }
    if (one.by != MovedBy::nothing) moved.push_back(std::move(one));
  }
  std::ranges::stable_sort(moved, {}, [&](const AuditMoved& one) { return one.unit; });
  return moved;
}

}  // namespace assay::experiment
