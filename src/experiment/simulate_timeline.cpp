// SPDX-License-Identifier: Apache-2.0
// The scenarios of `assay simulate timeline`.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "experiment/simulate_design.hpp"
#include "experiment/timeline.hpp"

namespace assay::experiment {
namespace {

struct Case {
  std::string detail;
  std::uint32_t commits;
  std::map<std::uint32_t, double> steps;  // commit -> log change against its parent
  std::optional<std::pair<std::uint32_t, std::uint32_t>> undone = {};
};

// right: every step and no other, and what undid it; wrong: a step that is none.
Outcome judge(const Case& one, const Conclusion& conclusion) {
  Outcome outcome;
  if (!conclusion.timeline) return outcome;
  const auto& commits = conclusion.timeline->commits;
  outcome.search_runs = conclusion.timeline->rounds * commits.size();
  std::set<std::uint32_t> found;
  for (std::uint32_t i = 0; i < commits.size(); ++i)
    if (commits[i].step) found.insert(i);
  const bool none_false =
      std::ranges::all_of(found, [&](std::uint32_t i) { return one.steps.contains(i); });
  const bool undone = !one.undone || commits[one.undone->first].undone_by == one.undone->second;
  outcome.answer = !none_false                                  ? Outcome::Answer::wrong
                   : found.size() == one.steps.size() && undone ? Outcome::Answer::right
                                                                : Outcome::Answer::undecided;
  return outcome;
}

std::vector<Case> cases() {
  const double five = std::log(1.05), three = std::log(1.03);
  return {
      {"8 commits, nothing changes", 8, {}},
      {"20 commits, nothing changes", 20, {}},
      {"8 commits, +5 % with the 5th", 8, {{4, five}}},
      {"8 commits, +5 % with the last", 8, {{7, five}}},
      {"8 commits, +3 % with the 5th", 8, {{4, three}}},
      {"20 commits, +5 % with the 11th", 20, {{10, five}}},
      {"8 commits, +5 % with the 3rd, undone by the 6th", 8, {{2, five}, {5, -five}}, {{2, 5}}},
      {"8 commits, +5 % with the 4th, undone by the next", 8, {{3, five}, {4, -five}}, {{3, 4}}},
      {"8 commits, +5 % with the 3rd and the 6th", 8, {{2, five}, {5, five}}},
      {"8 commits, three steps: +10 %, -5 %, +5 %", 8, {{2, 2 * five}, {4, -five}, {6, five}}},
  };
}

}  // namespace

Result<std::vector<DesignScenario>> timeline_scenarios(const std::vector<std::string>& noises) {
  std::vector<DesignScenario> scenarios;
  for (const Case& one : cases())
    for (const std::string& name :
         noises.empty()
             ? std::vector<std::string>{"ln1", "ln3", "heavy", "bimodal", "drift", "cpu_aa_shared"}
             : noises) {
      auto noise = parse_noise(name);
      if (!noise) return fail(noise.error());
      Design design;
      for (std::uint32_t i = 0; i < one.commits; ++i)
        design.commits.push_back(
            {.id = std::string(40, '0'),
             .parents = i == 0 ? std::vector<std::uint32_t>() : std::vector<std::uint32_t>{i - 1}});
      Plan plan = bare_design_plan(PlanKind::timeline, one.commits, std::move(design), true);
      plan.runs = kTimelineRounds;
      const auto effect = [one](std::uint32_t arm) {
        double sum = 0;
        for (const auto& [at, size] : one.steps) sum += arm >= at ? size : 0;
        return sum;
      };
      scenarios.push_back({.kind = "timeline",
                           .detail = one.detail,
                           .noise = std::move(*noise),
                           .plan = std::move(plan),
                           .build_seconds = 0,
                           .draw = [one, effect](Random&) {
                             return DesignTruth{.effect = effect,
                                                .judge = [one](const Conclusion& conclusion) {
                                                  return judge(one, conclusion);
                                                }};
                           }});
    }
  return scenarios;
}

}  // namespace assay::experiment
