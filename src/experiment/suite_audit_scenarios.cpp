// SPDX-License-Identifier: Apache-2.0
// The scenarios of `assay simulate audit`.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "experiment/simulate_design.hpp"
#include "experiment/suite_audit_fake.hpp"

namespace assay::experiment {
namespace {

using PlantedUnits = std::vector<std::uint32_t>;

struct Planted {
  PlantedUnits polluters = {};
  std::uint32_t victim = 0;
};

struct AuditCase {
  std::string detail;
  std::uint32_t units;
  std::vector<Planted> planted = {};
  double factor = 1;
  double code = 1;  // two revisions: unit 1 of the second takes so many times as long
  bool revisions = false;
  std::uint32_t repeats = 3;
  double budget_s = 0;                 // it is ended then, and nothing can be named
  std::vector<Planted> workload = {};  // units that measure something else behind others
  bool loose_facts = false;            // every benchmark reports a number that varies by itself
};

// Victims of one polluter, evenly spread behind it.
std::vector<Planted> victims_of(std::uint32_t polluter, std::uint32_t first, std::uint32_t step,
                                std::uint32_t count) {
  std::vector<Planted> all;
  for (std::uint32_t i = 0; i < count; ++i) all.push_back({{polluter}, first + step * i});
  return all;
}

std::vector<Planted> both_of(std::vector<Planted> a, const std::vector<Planted>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::vector<AuditCase> audit_cases() {
  return {
      {"67 units, none pollutes", 67},
      {"300 units, none pollutes", 300},
      {"67 units, one polluter, +30 %", 67, {{{20}, 50}}, 1.3},
      {"67 units, one polluter, x 2", 67, {{{20}, 50}}, 2},
      {"67 units, one polluter, x 0.5 (faster)", 67, {{{20}, 50}}, 0.5},
      {"67 units, two polluters together, x 3", 67, {{{20, 41}, 50}}, 3},
      {"67 units, one polluter with 8 victims, x 100", 67, victims_of(20, 30, 4, 8), 100},
      {"300 units, three polluters with 30 victims, x 3", 300,
       both_of(victims_of(30, 40, 8, 10),
               both_of(victims_of(100, 121, 5, 10), victims_of(180, 203, 7, 10))),
       3},
      {.detail = "67 units, none pollutes, 12 runs", .units = 67, .repeats = 12},
      {.detail = "67 units, one polluter, +30 %, 12 runs",
       .units = 67,
       .planted = {{{20}, 50}},
       .factor = 1.3,
       .repeats = 12},
      {.detail = "67 units, one polluter, x 3, ended in the pairs",
       .units = 67,
       .planted = {{{20}, 50}},
       .factor = 3,
       .budget_s = 250},
      {.detail = "67 units, one polluter, x 3, ended before the search",
       .units = 67,
       .planted = {{{20}, 50}},
       .factor = 3,
       .budget_s = 420},
      {.detail = "67 units, one changes the workload of 8",
       .units = 67,
       .workload = victims_of(20, 30, 4, 8)},
      {.detail = "67 units, facts that vary by themselves", .units = 67, .loose_facts = true},
      {"12 units, two equal revisions", 12, {}, 1, 1, true},
      {"12 units, two revisions, one benchmark +30 %", 12, {}, 1, 1.3, true},
      {"12 units, two revisions, one benchmark x 2", 12, {}, 1, 2, true},
  };
}

FakeSuite suite_of(const AuditCase& one) {
  FakeSuite suite{.units = one.units};
  for (const Planted& planted : one.planted)
    suite.changes.push_back(pollution(planted.polluters, planted.victim, one.factor));
  for (const Planted& planted : one.workload)
    suite.changes.push_back(
        [planted](std::uint32_t unit, FakeSuite::Front front, FakeSuite::Says& says) {
          if (unit != planted.victim) return;
          const bool behind = std::ranges::find(front, planted.polluters.front()) != front.end();
          says.facts = {{"size", behind ? 256.0 : 4096.0}};
        });
  return suite;
}

// Other workloads: so many that are none, or are blamed on the wrong unit; `all`: none is left out.
std::size_t false_changes(const AuditCase& one, const AuditFinding& found, bool& all) {
  std::size_t wrong = 0, named = 0;
  for (const AuditChanged& each : found.changed) {
    const auto at = std::ranges::find(one.workload, each.unit, &Planted::victim);
    const bool blamed = at != one.workload.end() &&
                        std::ranges::find(each.behind, at->polluters.front()) != each.behind.end();
    if (at == one.workload.end() || (!each.behind.empty() && !blamed))
      ++wrong;
    else
      named += blamed;
  }
  all = named == one.workload.size();
  return wrong;
}

// Of an audit that was ended: nothing may be named, nor said to be clean; the suspect is open.
Outcome judge_ended(const AuditCase& one, const Conclusion& conclusion) {
  Outcome outcome;
  const AuditFinding& found = *conclusion.audit;
  outcome.claims = found.victims.size() + found.changed.size();
  outcome.of = one.units;
  const bool said =
      outcome.claims > 0 || conclusion.overall != Verdict::undecided || found.unfinished.empty();
  const bool suspected = std::ranges::any_of(
      found.open, [&](const AuditOpen& each) { return each.unit == one.planted.front().victim; });
  outcome.answer = said        ? Outcome::Answer::wrong
                   : suspected ? Outcome::Answer::right
                               : Outcome::Answer::undecided;
  return outcome;
}

// right: all that was planted with its polluters, and nothing else; wrong: a victim that is none, a
// polluter that is none, or a moved benchmark that did not.
Outcome judge_audit(const AuditCase& one, const Conclusion& conclusion) {
  Outcome outcome;
  if (!conclusion.audit) return outcome;
  if (one.budget_s > 0) return judge_ended(one, conclusion);
  const AuditFinding& found = *conclusion.audit;
  for (const AuditCost& cost : found.costs)
    if (cost.stage == "search") outcome.search_runs = cost.runs;
  std::map<std::uint32_t, std::set<PlantedUnits>> truth;
  for (const Planted& planted : one.planted) truth[planted.victim].insert(planted.polluters);
  std::set<std::uint32_t> named, complete;
  bool wrong = false;
  for (const AuditVictim& victim : found.victims) {
    const auto at = truth.find(victim.unit);
    if (at == truth.end()) {
      named.insert(victim.unit);
      continue;
    }
    for (const Polluter& polluter : victim.polluters) {
      if (!polluter.confirmed) continue;
      if (at->second.contains(polluter.units))
        complete.insert(victim.unit);
      else
        wrong = true;
    }
  }
  std::size_t moved = 0;
  for (const AuditMoved& each : found.moved)
    moved += one.code == 1 || each.unit != 1 || each.by != MovedBy::code;
  bool all_changed = false;
  outcome.claims = named.size() + moved + false_changes(one, found, all_changed);
  outcome.of = one.units - truth.size();
  const bool all = complete.size() == truth.size() && all_changed &&
                   (one.code == 1 || std::ranges::any_of(found.moved, [](const AuditMoved& each) {
                      return each.unit == 1 && each.by == MovedBy::code;
                    }));
  outcome.answer = wrong || outcome.claims > 0 ? Outcome::Answer::wrong
                   : all                       ? Outcome::Answer::right
                                               : Outcome::Answer::undecided;
  return outcome;
}

}  // namespace

Result<std::vector<DesignScenario>> audit_scenarios(const std::vector<std::string>& noises) {
  std::vector<DesignScenario> scenarios;
  for (const AuditCase& one : audit_cases())
    for (const std::string& name :
         noises.empty()
             ? std::vector<std::string>{"ln1", "ln3", "heavy", "bimodal", "drift", "cpu_aa_shared"}
             : noises) {
      auto noise = parse_noise(name);
      if (!noise) return fail(noise.error());
      Plan plan = suite_of(one).plan();
      plan.runs = one.repeats;
      plan.time_budget_s = one.budget_s;
      if (one.revisions) plan.arms.push_back(plan.arms.front());
      scenarios.push_back({.kind = "audit",
                           .detail = one.detail,
                           .noise = std::move(*noise),
                           .plan = std::move(plan),
                           .build_seconds = 0,
                           .draw = [one](Random&) {
                             DesignTruth truth;
                             truth.run = [one, suite = suite_of(one)](
                                             const Run& run,
                                             const std::function<double()>& factor) {
                               Trial trial = suite.run(run, factor);
                               for (Measurement& each : trial.measurements) {
                                 if (run.arm == 1 && run.units[each.position] == 1)
                                   *each.value *= one.code;
                                 if (one.loose_facts)
                                   each.facts = {{"allocations", factor() > 1 ? 13.0 : 12.0}};
                               }
                               return trial;
                             };
                             truth.judge = [one](const Conclusion& conclusion) {
                               return judge_audit(one, conclusion);
                             };
                             return truth;
                           }});
    }
  return scenarios;
}

}  // namespace assay::experiment
