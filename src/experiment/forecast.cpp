// SPDX-License-Identifier: Apache-2.0
#include "experiment/forecast.hpp"

#include <algorithm>
#include <bit>

#include "experiment/ablate_design.hpp"

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

// The ends, the search, two comparisons. For an effect of two sigma 1,024 commits take about 50
// runs until one is named, and 64 take 38; the most: no answer before the caps (bisect.cpp).
Forecast bisect(const Plan& plan) {
  const auto commits = static_cast<std::uint64_t>(plan.arms.size() / 2);
  const auto bits = static_cast<std::uint64_t>(std::bit_width(commits));
  constexpr std::uint64_t kLikelyPair = 24, kMostPair = 120, kMostSearch = 600;
  return {.likely_runs = 2 + 22 + 5 * bits / 2 + 2 * kLikelyPair,
          .most_runs = 2 + 2 * kMostSearch + 4 * kMostPair,  // with a warm-up for every commit
          .likely_builds = std::min(commits, 4 + bits * 3 / 2),
          .most_builds = std::min<std::uint64_t>(commits, kMostSearch) + 1};
}

// All on against all off, the search, and a cause or two confirmed. For an effect of two sigma the
// adaptive search of 5 to 10 changes takes 26 to 45 runs in 7 to 16 configurations.
Forecast ablate(const Plan& plan) {
  const auto changes = static_cast<unsigned>(plan.design->changes.size());
  const bool dear = builds_differ(build_groups(plan));
  const bool adaptive = plan.design->adaptive || dear;
  constexpr std::uint64_t kLikelyPair = 24, kMostPair = 192, kMostConfirmed = 3;
  const std::uint64_t cap = plan.runs > 0 ? plan.runs : most_runs(changes, adaptive);
  const std::uint64_t search = adaptive ? least_runs(changes) + 6 : fixed_runs(changes);
  const auto arms = static_cast<std::uint64_t>(plan.arms.size());
  const std::uint64_t builds = dear ? 2 * changes : 1;
  return {.likely_runs = 2 + 2 * kLikelyRuns + std::min(search, cap) + 2 * kLikelyPair + builds,
          .most_runs = 2 + 2 * std::uint64_t{plan.max_runs} + cap + 2 * kMostConfirmed * kMostPair,
          .likely_builds = std::min(arms, builds),
          .most_builds = dear ? std::min(arms, cap + 2 + 4 * kMostConfirmed) : 1};
}

// suite run: processes.
std::uint64_t runs_a_round(const Plan& plan) {
  if (!plan.suite || plan.suite->isolation == Isolation::suite) return 1;
  return plan.suite->units.size();
}

// Pairs, other orders, every unit twice; a search of a polluter or two takes about 30 processes.
Forecast audit(const Plan& plan) {
  constexpr std::uint64_t kLikelySearch = 30, kMostSearch = 300;
  if (!plan.suite) return {};
  const std::uint64_t units = plan.suite->units.size();
  const bool has_order = plan.suite->joins && units > 1;
  const auto arms = static_cast<std::uint64_t>(plan.arms.size());
  std::uint64_t runs = arms * plan.runs * (units + (has_order ? 1 : 0));
  if (has_order && plan.suite->reorders) runs += 1 + plan.suite->random_orders;
  if (plan.suite->repeats) runs += units;
  return {.likely_runs = runs + (has_order ? kLikelySearch : 0),
          .most_runs = runs + (has_order ? kMostSearch : 0)};
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
      found = ablate(plan);
      break;
    case PlanKind::bisect:
      found = bisect(plan);
      break;
    case PlanKind::suite_run:
      found.likely_runs = found.most_runs = plan.runs * runs_a_round(plan);
      break;
    case PlanKind::suite_compare:  // twelve a side is the first size at which a family can claim
      found.likely_runs = 2 * (1 + 12) * runs_a_round(plan);
      found.most_runs = 2 * (1 + plan.max_runs) * runs_a_round(plan);
      break;
    case PlanKind::suite_audit:
      found = audit(plan);
      break;
    case PlanKind::imported:
      break;
  }
  const bool builds = !plan.arms.empty() && plan.arms.front().build;
  if (!builds) found.likely_builds = found.most_builds = 0;
  if (builds && !plan.design) found.likely_builds = found.most_builds = arms;
  return found;
}

}  // namespace assay::experiment
