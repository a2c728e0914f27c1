// SPDX-License-Identifier: Apache-2.0
#include "experiment/experiment.hpp"

#include <fmt/format.h>

#include "base/check.hpp"
#include "base/text.hpp"
#include "experiment/ablate.hpp"
#include "experiment/bisect.hpp"
#include "experiment/calibrate.hpp"
#include "experiment/compare.hpp"
#include "experiment/measure.hpp"
#include "experiment/sessions.hpp"
#include "experiment/suite_audit.hpp"
#include "experiment/suite_compare.hpp"
#include "experiment/suite_run.hpp"
#include "experiment/sweep.hpp"
#include "experiment/timeline.hpp"
#include "model/plan_check.hpp"

namespace assay::experiment {

Result<void> check_plan(const Plan& plan) {
  if (auto valid = assay::check_plan(plan); !valid) return valid;
  if (plan.kind == PlanKind::imported)
    return fail("the record holds results of another tool: there is nothing to run or judge again",
                {}, "assay compare --imported X Y compares two of them");
  if (plan.time_budget_s > 0 && plan.run.cooldown_s > plan.time_budget_s)
    return fail(
        fmt::format("--cooldown {}: one pause is longer than the time budget of {}",
                    format_duration(plan.run.cooldown_s), format_duration(plan.time_budget_s)),
        {}, "make the pause shorter, or give a longer --time-budget (0 = no limit)");
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
    case PlanKind::sweep:
      return std::make_unique<Sweep>(plan);
    case PlanKind::ablate:
      return std::make_unique<Ablate>(plan);
    case PlanKind::bisect:
      return std::make_unique<Bisect>(plan);
    case PlanKind::timeline:
      return std::make_unique<Timeline>(plan);
    case PlanKind::suite_audit:
      return std::make_unique<SuiteAudit>(plan);
    case PlanKind::suite_run:
      return std::make_unique<SuiteRun>(plan);
    case PlanKind::suite_compare:
      return std::make_unique<SuiteCompare>(plan);
    case PlanKind::imported:
      break;
  }
  ASSAY_CHECK(false, "every kind of plan has an experiment");
  return nullptr;
}

}  // namespace assay::experiment
