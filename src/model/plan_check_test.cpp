// SPDX-License-Identifier: Apache-2.0
#include "model/plan_check.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

namespace assay {
namespace {

Plan good_plan() {
  Plan plan;
  plan.arms.resize(3);
  for (Subject& arm : plan.arms) arm.argv = {"true"};
  plan.control = 2;
  plan.metrics = {{.name = "wall", .unit = "s", .gating = true}, {.name = "cpu", .unit = "s"}};
  plan.floors = {{"wall", 0.01, 5, 0.02, 0}};
  plan.earlier_p = {0.5};
  return plan;
}

TEST(PlanCheck, TakesGoodPlans) {
  EXPECT_TRUE(check_plan(good_plan()));
  Plan calibrate = good_plan();
  calibrate.kind = PlanKind::calibrate;
  calibrate.control.reset();
  calibrate.runs = 50;
  calibrate.arms.resize(51, calibrate.arms[0]);
  EXPECT_TRUE(check_plan(calibrate));
}

// Whatever the rule would refuse with a failed check, and whatever would not fit into memory or
// into nanoseconds, is an Error that says which member is wrong.
TEST(PlanCheck, NamesWhatIsWrong) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr std::uint32_t kHuge = std::numeric_limits<std::uint32_t>::max();
  const std::pair<std::function<void(Plan&)>, const char*> cases[] = {
      {[](Plan& p) { p.arms.clear(); }, "0 commands given"},
      {[](Plan& p) { p.arms.resize(27, p.arms[0]); }, "27 commands given, at most 26"},
      {[](Plan& p) { p.arms[1].argv.clear(); }, "command 2 is empty"},
      {[](Plan& p) { p.arms[1].argv = {""}; }, "command 2 is empty"},
      {[](Plan& p) { p.control = 0; }, "control 0 of 3 commands"},
      {[](Plan& p) { p.control = 3; }, "control 3 of 3 commands"},
      {[](Plan& p) { p.metrics[1].name = "wall"; }, "metric 'wall' is given twice"},
      {[](Plan& p) { p.metrics[0].gating = false; }, "no metric gates"},
      {[](Plan& p) { p.metrics.clear(); }, "no metric gates"},
      {[](Plan& p) { p.tolerance = 0; }, "the tolerance"},
      {[](Plan& p) { p.tolerance = -0.02; }, "the tolerance"},
      {[](Plan& p) { p.tolerance = 1; }, "the tolerance"},
      {[](Plan& p) { p.tolerance = kNan; }, "the tolerance"},
      {[](Plan& p) { p.max_runs = 0; }, "--max-runs"},
      {[](Plan& p) { p.max_runs = 5; }, "--max-runs"},
      {[](Plan& p) { p.max_runs = 901; }, "--max-runs"},
      {[](Plan& p) { p.time_budget_s = -1; }, "--time-budget"},
      {[](Plan& p) { p.time_budget_s = kNan; }, "--time-budget"},
      {[](Plan& p) { p.run.timeout_s = kInfinity; }, "--timeout"},
      {[](Plan& p) { p.run.cooldown_s = 1e300; }, "--cooldown"},
      {[](Plan& p) { p.floors[0].sys_sigma = -1; }, "the noise floor of 'wall'"},
      {[](Plan& p) { p.floors[0].sys_sigma = kNan; }, "the noise floor of 'wall'"},
      {[](Plan& p) { p.floors[0].sys_k = 0; }, "the noise floor of 'wall'"},
      {[](Plan& p) { p.floors[0].pair_sigma = kInfinity; }, "the noise floor of 'wall'"},
      {[](Plan& p) {
         p.earlier_p = {0.5, 1.5};
       },
       "the p of an earlier run"},
      {[](Plan& p) { p.earlier_p = {kNan}; }, "the p of an earlier run"},
      {[](Plan& p) { p.kind = PlanKind::sessions, p.runs = 2; }, "--sessions needs at least 3"},
      {[](Plan& p) { p.kind = PlanKind::sessions, p.runs = kHuge; }, "--sessions takes at most"},
      {[](Plan& p) { p.kind = PlanKind::calibrate, p.runs = 4; }, "a noise floor needs at least 5"},
      {[](Plan& p) { p.kind = PlanKind::calibrate, p.runs = kHuge; },
       "a noise floor takes at most"},
      {[](Plan& p) { p.kind = PlanKind::measure, p.runs = 0; }, "--runs must be at least 1"},
      {[](Plan& p) { p.kind = PlanKind::measure, p.runs = kHuge; }, "--runs must be at most"}};
  for (const auto& [spoil, text] : cases) {
    Plan plan = good_plan();
    spoil(plan);
    const auto valid = check_plan(plan);
    ASSERT_FALSE(valid) << text;
    EXPECT_EQ(valid.error().what.substr(0, std::string(text).size()), text);
  }
}

}  // namespace
}  // namespace assay
