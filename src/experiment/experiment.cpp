// SPDX-License-Identifier: Apache-2.0
#include "experiment/experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/check.hpp"
#include "experiment/calibrate.hpp"
#include "experiment/compare.hpp"
#include "experiment/measure.hpp"
#include "experiment/sessions.hpp"

namespace assay::experiment {
namespace {

constexpr std::uint32_t kMostRuns = 900;  // the last look of the rule
constexpr std::uint32_t kLeastRuns = 6;
constexpr std::size_t kMostArms = 26;
constexpr std::uint32_t kLeastComparisons = 5;

Result<void> check_arms(const Plan& plan) {
  const std::size_t least = plan.kind == PlanKind::measure ? 1 : 2;
  if (plan.arms.size() < least)
    return fail(fmt::format("{} command{} given, at least {} needed", plan.arms.size(),
                            plan.arms.size() == 1 ? "" : "s", least));
  if (plan.arms.size() > kMostArms)
    return fail(fmt::format("{} commands given, at most {} can be compared at once",
                            plan.arms.size(), kMostArms));
  for (std::size_t i = 0; i < plan.arms.size(); ++i) {
    const auto& argv = plan.arms[i].argv;
    if (argv.empty() || argv[0].empty())
      return fail(fmt::format("command {} is empty", i + 1), {},
                  "give a program to run, such as './encode in.bin'");
  }
  return {};
}

Result<void> check_metrics(const Plan& plan) {
  std::set<std::string> names;
  for (const Metric& metric : plan.metrics)
    if (!names.insert(metric.name).second)
      return fail(fmt::format("metric '{}' is given twice", metric.name), {},
                  "give each metric a name of its own");
  const bool gated = std::any_of(plan.metrics.begin(), plan.metrics.end(),
                                 [](const Metric& m) { return m.gating; });
  if (!gated && (plan.kind == PlanKind::compare || plan.kind == PlanKind::sessions))
    return fail("no metric gates, so there is nothing to decide", {},
                "name at least one with --gate, such as --gate wall,cpu");
  return {};
}

}  // namespace

Result<void> check_plan(const Plan& plan) {
  if (auto arms = check_arms(plan); !arms) return arms;
  if (auto metrics = check_metrics(plan); !metrics) return metrics;
  if (!(plan.tolerance > 0) || plan.tolerance >= 1)
    return fail(fmt::format("the tolerance must lie above 0 % and below 100 %, not at {:g} %",
                            plan.tolerance * 100),
                {},
                plan.tolerance >= 1
                    ? fmt::format("did you mean --tolerance {:g}%?", plan.tolerance)
                    : "no two programs are equal to 0 %: say what difference you would act on, "
                      "such as --tolerance 2%");
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
      break;
    case PlanKind::calibrate:
      if (plan.runs < kLeastComparisons)
        return fail(fmt::format("a noise floor needs at least {} comparisons, not {}",
                                kLeastComparisons, plan.runs));
      break;
    case PlanKind::measure:
      if (plan.runs == 0) return fail("--runs must be at least 1");
      break;
  }
  return {};
}

std::unique_ptr<Experiment> make_experiment(const Plan& plan) {
  switch (plan.kind) {
    case PlanKind::compare:
      return std::make_unique<Compare>(plan);
    case PlanKind::sessions:
      return std::make_unique<Sessions>(plan);
    case PlanKind::calibrate:
      return std::make_unique<Calibrate>(plan);
    case PlanKind::measure:
      return std::make_unique<Measure>(plan);
  }
  ASSAY_CHECK(false, "every kind of plan has an experiment");
  return nullptr;
}

}  // namespace assay::experiment
