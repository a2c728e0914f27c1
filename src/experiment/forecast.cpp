// SPDX-License-Identifier: Apache-2.0
#include "experiment/forecast.hpp"

#include <algorithm>

namespace assay::experiment {
namespace {

constexpr std::uint64_t kLikelyRuns = 12;  // per side, where a comparison usually ends
constexpr std::uint64_t kFloorRuns = 36;   // per side and comparison, calibrate

Forecast compare(const Plan& plan) {
  const auto arms = static_cast<std::uint64_t>(plan.arms.size());
  const std::uint64_t most = arms * plan.max_runs;
  const std::uint64_t likely = arms * (plan.run.exact ? 2 : kLikelyRuns + 1);
  return {.likely_runs = std::min(likely, most), .most_runs = most};
}

// Every arm once a round.
Forecast rounds(const Plan& plan) {
  const auto arms = static_cast<std::uint64_t>(plan.arms.size());
  const std::uint64_t runs = arms * (plan.runs + 1);
  return {.likely_runs = runs, .most_runs = runs, .likely_builds = arms, .most_builds = arms};
}

}  // namespace

Forecast forecast(const Plan& plan) {
  const auto arms = static_cast<std::uint64_t>(plan.arms.size());
  Forecast found;
  switch (plan.kind) {
    case PlanKind::compare:
      found = compare(plan);
      break;
    case PlanKind::sessions:
      found.likely_runs = found.most_runs = arms * plan.runs;
      break;
    case PlanKind::measure:
      found.likely_runs = found.most_runs = plan.runs;
      break;
    case PlanKind::calibrate:
      found.likely_runs = found.most_runs = arms + 2 * kFloorRuns * plan.runs;
      break;
    case PlanKind::sweep:
    case PlanKind::timeline:
      found = rounds(plan);
      break;
    case PlanKind::ablate:
    case PlanKind::bisect:
      break;
  }
  const bool builds = !plan.arms.empty() && plan.arms.front().build;
  if (!builds) found.likely_builds = found.most_builds = 0;
  if (builds && !plan.design) found.likely_builds = found.most_builds = arms;
  return found;
}

}  // namespace assay::experiment
