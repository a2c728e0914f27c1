// SPDX-License-Identifier: Apache-2.0
#include "model/plan_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.hpp"

namespace assay {
namespace {

constexpr std::uint32_t kLeastRuns = 6;
constexpr std::uint32_t kMostRuns = 900;  // the last look of the rule
constexpr std::uint32_t kMostMeasured = 1'000'000;
constexpr std::uint32_t kLeastSessions = 3, kMostSessions = 1000;
constexpr std::uint32_t kLeastComparisons = 5, kMostComparisons = 50;
constexpr std::size_t kMostArms = 26;            // letters
constexpr std::size_t kMostDesignArms = 32'768;  // bisect: two a commit
constexpr std::size_t kMostMetrics = 1000;
constexpr std::size_t kMostUnits = 100'000;
constexpr std::uint32_t kMostRounds = 1000;
constexpr std::size_t kMostChanges = 10;
constexpr double kMostSeconds = 1e9;  // 30 years; in nanoseconds it still fits 64 bits
constexpr double kMostSigma = 10;     // log units: a factor of 20,000
constexpr int kMostFloorComparisons = 1'000'000;

Result<void> check_arms(const Plan& plan) {
  const bool one_will_do = plan.kind == PlanKind::measure || plan.kind == PlanKind::suite_run ||
                           plan.kind == PlanKind::suite_audit || plan.kind == PlanKind::imported;
  const std::size_t least = one_will_do ? 1 : 2;
  if (plan.arms.size() < least)
    return fail(fmt::format("{} command{} given, at least {} needed", plan.arms.size(),
                            plan.arms.size() == 1 ? "" : "s", least));
  if (plan.arms.size() > kMostDesignArms)
    return fail(fmt::format("{} variants, at most {} can be told apart", plan.arms.size(),
                            kMostDesignArms));
  const std::size_t most = plan.design                        ? kMostDesignArms
                           : plan.kind == PlanKind::calibrate ? 1 + kMostComparisons
                                                              : kMostArms;
  if (plan.arms.size() > most)
    return fail(fmt::format("{} commands given, at most {} can be compared at once",
                            plan.arms.size(), most));
  for (std::size_t i = 0; i < plan.arms.size(); ++i) {
    const auto& argv = plan.arms[i].argv;
    if (argv.empty() || argv[0].empty())
      return fail(fmt::format("command {} is empty", i + 1), {},
                  "give a program to run, such as './encode in.bin'");
  }
  if (plan.control && (*plan.control == 0 || *plan.control >= plan.arms.size()))
    return fail(fmt::format("control {} of {} commands: it must be a copy of the first one",
                            *plan.control, plan.arms.size()));
  return {};
}

Result<void> check_metrics(const Plan& plan) {
  if (plan.metrics.size() > kMostMetrics)
    return fail(fmt::format("{} metrics, at most {}", plan.metrics.size(), kMostMetrics));
  std::set<std::string> names;
  for (const Metric& metric : plan.metrics)
    if (!names.insert(metric.name).second)
      return fail(fmt::format("metric '{}' is given twice", printable(metric.name)), {},
                  "give each metric a name of its own");
  const bool gated = std::any_of(plan.metrics.begin(), plan.metrics.end(),
                                 [](const Metric& m) { return m.gating; });
  if (!gated && (plan.kind == PlanKind::compare || plan.kind == PlanKind::sessions))
    return fail("no metric gates, so there is nothing to decide", {},
                "name at least one with --gate, such as --gate wall,cpu");
  return {};
}

Result<void> check_tolerance(double tolerance) {
  if (tolerance > 0 && tolerance < 1) return {};
  return fail(fmt::format("the tolerance must lie above 0 % and below 100 %, not at {:g} %",
                          tolerance * 100),
              {},
              tolerance >= 1 ? fmt::format("did you mean --tolerance {:g}%?", tolerance)
                             : "no two programs are equal to 0 %: say what difference you would "
                               "act on, such as --tolerance 2%");
}

// What the design says of the arms, and one metric that decides.
Result<void> check_design(const Plan& plan) {
  if (!plan.design) return fail("the plan has no design");
  const Design& design = *plan.design;
  const auto gates = std::count_if(plan.metrics.begin(), plan.metrics.end(),
                                   [](const Metric& m) { return m.gating; });
  if (gates != 1)
    return fail(fmt::format("{} metrics decide, and it must be one", gates), {},
                "name it with --gate, such as --gate cpu");
  std::size_t arms = 0;
  switch (plan.kind) {
    case PlanKind::sweep:
      arms = design.parameters.empty() ? 0 : 1;
      for (const Parameter& parameter : design.parameters) arms *= parameter.levels.size();
      break;
    case PlanKind::ablate:
      if (design.changes.size() >= 2 && design.changes.size() <= kMostChanges)
        arms = std::size_t{1} << design.changes.size();
      break;
    case PlanKind::bisect:
      arms = 2 * design.commits.size();
      break;
    default:
      arms = design.commits.size();
  }
  if (arms < 2 || arms != plan.arms.size())
    return fail(fmt::format("the plan's design does not fit its {} arms", plan.arms.size()));
  for (std::size_t i = 0; i < design.commits.size(); ++i)
    for (const std::uint32_t parent : design.commits[i].parents)
      if (parent >= i) return fail("the plan's commits do not stand behind their parents");
  return {};
}

// The units of a suite that is built later are not known yet.
Result<void> check_suite(const Plan& plan) {
  if (!plan.suite) return fail("the plan has no suite");
  const SuitePlan& suite = *plan.suite;
  if (suite.units.empty() && !plan.arms.front().build)
    return fail("the suite has no benchmark", {}, "'assay suite list' prints what it has");
  if (suite.units.size() > kMostUnits)
    return fail(fmt::format("{} units, at most {}", suite.units.size(), kMostUnits));
  std::set<std::string> names;
  for (const SuiteUnit& unit : suite.units)
    if (unit.name.empty() || !names.insert(unit.name).second)
      return fail(fmt::format("unit '{}' is given twice or has no name", printable(unit.name)));
  if (suite.isolation == Isolation::suite && !suite.joins && suite.units.size() > 1)
    return fail(fmt::format("{} units of this suite are {} programs: one process cannot run them",
                            suite.units.size(), suite.units.size()),
                {}, "leave --isolation out: every unit then has a process of its own");
  if (suite.memory_budget && !(*suite.memory_budget > 0))
    return fail("the memory budget must be more than nothing");
  return {};
}

Result<void> check_runs(const Plan& plan) {
  switch (plan.kind) {
    case PlanKind::compare:
      if (plan.max_runs < kLeastRuns || plan.max_runs > kMostRuns)
        return fail(fmt::format("--max-runs must lie between {} and {}, not at {}", kLeastRuns,
                                kMostRuns, plan.max_runs));
      break;
    case PlanKind::sessions:
      if (plan.runs < kLeastSessions)
        return fail(fmt::format("--sessions needs at least {} sessions a side, not {}",
                                kLeastSessions, plan.runs),
                    {}, "a spread between sessions cannot be seen with fewer");
      if (plan.runs > kMostSessions)
        return fail(fmt::format("--sessions takes at most {} sessions a side, not {}",
                                kMostSessions, plan.runs));
      break;
    case PlanKind::calibrate:
      if (plan.runs < kLeastComparisons)
        return fail(fmt::format("a noise floor needs at least {} comparisons, not {}",
                                kLeastComparisons, plan.runs));
      if (plan.runs > kMostComparisons)
        return fail(fmt::format("a noise floor takes at most {} comparisons, not {}",
                                kMostComparisons, plan.runs));
      break;
    case PlanKind::sweep:
    case PlanKind::ablate:
    case PlanKind::bisect:
    case PlanKind::timeline:
      return check_design(plan);
    case PlanKind::suite_run:
      if (plan.runs == 0 || plan.runs > kMostRounds)
        return fail(
            fmt::format("--rounds must lie between 1 and {}, not at {}", kMostRounds, plan.runs));
      return check_suite(plan);
    case PlanKind::suite_compare:
      if (plan.arms.size() != 2)
        return fail(fmt::format("suite compare takes two sides, not {}", plan.arms.size()));
      if (plan.max_runs < kLeastRuns || plan.max_runs > kMostRuns)
        return fail(fmt::format("--max-runs must lie between {} and {}, not at {}", kLeastRuns,
                                kMostRuns, plan.max_runs));
      return check_suite(plan);
    case PlanKind::suite_audit:
      return check_suite(plan);
    case PlanKind::imported:
      if (plan.imported.empty()) return fail("an imported record holds no file");
      break;
    case PlanKind::measure:
      if (plan.runs == 0) return fail("--runs must be at least 1");
      if (plan.runs > kMostMeasured)
        return fail(fmt::format("--runs must be at most {}, not {}", kMostMeasured, plan.runs));
      break;
  }
  return {};
}

Result<void> check_seconds(const Plan& plan) {
  const std::pair<const char*, double> all[] = {{"--time-budget", plan.time_budget_s},
                                                {"--timeout", plan.run.timeout_s},
                                                {"--cooldown", plan.run.cooldown_s}};
  for (const auto& [name, seconds] : all)
    if (!(seconds >= 0 && seconds <= kMostSeconds))
      return fail(fmt::format("{} must lie between 0 and {:g} seconds, not at {:g}", name,
                              kMostSeconds, seconds));
  return {};
}

// What the store knew when the plan was made.
Result<void> check_history(const Plan& plan) {
  for (const NoiseFloor& floor : plan.floors) {
    const bool good = floor.sys_sigma >= 0 && floor.sys_sigma <= kMostSigma &&
                      floor.pair_sigma >= 0 && floor.pair_sigma <= kMostSigma &&
                      (floor.sys_sigma == 0 || floor.sys_k >= 1) &&
                      floor.sys_k <= kMostFloorComparisons;
    if (!good)
      return fail(
          fmt::format("the noise floor of '{}' cannot be: sys_sigma {:g}, pair_sigma {:g} "
                      "of {} comparisons",
                      printable(floor.metric), floor.sys_sigma, floor.pair_sigma, floor.sys_k));
  }
  for (const double p : plan.earlier_p)
    if (!(p >= 0 && p <= 1))
      return fail(fmt::format("the p of an earlier run must lie between 0 and 1, not at {:g}", p));
  return {};
}

}  // namespace

Result<void> check_plan(const Plan& plan) {
  if (auto arms = check_arms(plan); !arms) return arms;
  if (auto metrics = check_metrics(plan); !metrics) return metrics;
  if (auto tolerance = check_tolerance(plan.tolerance); !tolerance) return tolerance;
  if (auto runs = check_runs(plan); !runs) return runs;
  if (auto seconds = check_seconds(plan); !seconds) return seconds;
  return check_history(plan);
}

}  // namespace assay
