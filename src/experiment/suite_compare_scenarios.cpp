// SPDX-License-Identifier: Apache-2.0
// How often are the words of `suite compare` right? A suite is compared as shipped, its benchmarks
// get synthetic times, and what is said of all of them together is held against what was planted: a
// single false word makes the whole comparison wrong, which is what one percent for the family
// means.
#include <fmt/format.h>

#include <cmath>

#include "base/check.hpp"
#include "experiment/simulate_design.hpp"

namespace assay::experiment {
namespace {

constexpr std::uint32_t kPlantedUnits = 10, kIdsAUnit = 3;
constexpr double kBenchmarkSeconds = 1e-3;

struct SuiteCase {
  std::string detail;
  std::uint32_t controls = 0;  // units in front that the change cannot reach
  std::uint32_t changed = 0;   // benchmarks behind them that the change moves
  double factor = 1;
  bool control_moves = false;
  bool one_process = false;
};

std::vector<SuiteCase> suite_cases() {
  return {{"30 benchmarks, none moved"},
          {"30 benchmarks in one process, none moved", 0, 0, 1, false, true},
          {"24 benchmarks and 6 controls, none moved", 2},
          {"30 benchmarks, one +2 %", 0, 1, 1.02},
          {"30 benchmarks, one +5 %", 0, 1, 1.05},
          {"30 benchmarks, one -5 %", 0, 1, 1 / 1.05},
          {"30 benchmarks, all +5 %", 0, 30, 1.05},
          {"24 benchmarks and 6 controls, one of each +5 %", 2, 1, 1.05, true}};
}

Plan plan_of_case(const SuiteCase& one) {
  Plan plan = bare_design_plan(PlanKind::suite_compare, 2, {}, false);
  plan.design.reset();
  plan.suite = SuitePlan{.adapter = "gbench"};
  if (one.one_process) plan.suite->isolation = Isolation::suite;
  for (std::uint32_t u = 0; u < kPlantedUnits; ++u) {
    SuiteUnit unit{.name = fmt::format("u{}", u)};
    for (std::uint32_t i = 0; i < kIdsAUnit; ++i) unit.ids.push_back(fmt::format("u{}/{}", u, i));
    plan.suite->units.push_back(std::move(unit));
    if (u < one.controls) plan.suite->controls.push_back(fmt::format("u{}/*", u));
  }
  return plan;
}

// Benchmarks are counted over the suite. The first control is the one that moves.
double factor_of(const SuiteCase& one, std::uint32_t benchmark) {
  const std::uint32_t first = one.controls * kIdsAUnit;
  if (benchmark < first) return one.control_moves && benchmark == 0 ? one.factor : 1;
  return benchmark - first < one.changed ? one.factor : 1;
}

Trial suite_trial(const SuiteCase& one, const Plan& plan, const Run& run,
                  const std::function<double()>& noise) {
  Trial trial{
      .arm = run.arm, .block = run.block, .slot = run.slot, .pad = run.pad, .warmup = run.warmup};
  trial.units = run.units;
  trial.values = {0.1};
  trial.duration = std::chrono::milliseconds(100);
  for (std::uint32_t p = 0; p < run.units.size(); ++p)
    for (std::uint32_t i = 0; i < kIdsAUnit; ++i) {
      const double factor = run.arm == 1 ? factor_of(one, run.units[p] * kIdsAUnit + i) : 1;
      trial.measurements.push_back({.position = p,
                                    .id = plan.suite->units[run.units[p]].ids[i],
                                    .value = kBenchmarkSeconds * noise() * factor});
    }
  return trial;
}

// wrong: a word about a benchmark that did not move, a wrong direction, or verdicts withheld that
// should count. right: every one that moved got its word; where none moved, nothing was said.
Outcome judge_suite(const SuiteCase& one, const Conclusion& conclusion) {
  Outcome outcome;
  ASSAY_CHECK(conclusion.suite_compare.has_value(), "a comparison of a suite has findings");
  const SuiteCompareFinding& found = *conclusion.suite_compare;
  std::size_t missed = 0;
  bool wrong = conclusion.withheld && !one.control_moves;
  for (std::uint32_t b = 0; b < found.rows.size(); ++b) {
    const SuiteCompareRow& row = found.rows[b];
    if (row.control) continue;
    const double factor = factor_of(one, b);
    const Verdict said = row.finding.verdict;
    const bool claims = said == Verdict::slower || said == Verdict::faster;
    const Verdict truth = factor > 1   ? Verdict::slower
                          : factor < 1 ? Verdict::faster
                                       : Verdict::equivalent;
    wrong = wrong || (claims && said != truth);
    if (factor == 1) ++outcome.of, outcome.claims += claims ? 1 : 0;
    if (factor != 1 && said != truth) ++missed;
  }
  outcome.search_runs = 0;
  if (one.control_moves)
    outcome.answer = conclusion.withheld ? Outcome::Answer::right : Outcome::Answer::undecided;
  else if (wrong)
    outcome.answer = Outcome::Answer::wrong;
  else
    outcome.answer = missed == 0 ? Outcome::Answer::right : Outcome::Answer::undecided;
  return outcome;
}

}  // namespace

Result<std::vector<DesignScenario>> suite_compare_scenarios(
    const std::vector<std::string>& noises) {
  std::vector<DesignScenario> all;
  for (const std::string& name : noises.empty() ? std::vector<std::string>{"ln1", "ln3"} : noises) {
    auto model = parse_noise(name);
    if (!model) return fail(model.error());
    for (const SuiteCase& one : suite_cases()) {
      DesignScenario scenario{.kind = "suite",
                              .detail = one.detail,
                              .noise = *model,
                              .plan = plan_of_case(one),
                              .draw = nullptr};
      scenario.draw = [one, plan = scenario.plan](Random&) {
        DesignTruth truth;
        truth.run = [one, plan](const Run& run, const std::function<double()>& noise) {
          return suite_trial(one, plan, run, noise);
        };
        truth.judge = [one](const Conclusion& conclusion) { return judge_suite(one, conclusion); };
        return truth;
      };
      all.push_back(std::move(scenario));
    }
  }
  return all;
}

}  // namespace assay::experiment
