// SPDX-License-Identifier: Apache-2.0
#include "lab/self_test.hpp"

#include <array>
#include <cmath>

#include "experiment/order.hpp"
#include "measure/trial_runner.hpp"
#include "model/plan.hpp"
#include "stats/order.hpp"
#include "verdict/pair_test.hpp"

namespace assay::lab {
namespace {

constexpr std::array kMetrics = {"wall", "cpu"};
// Normal quantiles of the two-sided level .0004 (a family of two at .0008 a look) and of 80 %
// power.
constexpr double kClaim = 3.5401;
constexpr double kPower = 0.8416;

Plan plan_of(const Subject& subject, bool isolated, std::uint64_t seed) {
  Plan plan;
  plan.seed = seed;
  plan.arms = {subject, subject};
  for (const char* name : kMetrics) plan.metrics.push_back(*measure::builtin_metric(name));
  plan.run.isolate = isolated;
  return plan;
}

SelfTest read(std::size_t metric, const std::array<std::vector<double>, 2>& sides, bool isolated) {
  // No tolerance that anything could be EQUIVALENT or SLOWER at: all runs are used.
  const auto decision = verdict::decide(
      sides[0], sides[1], {.tolerance = 1e-9, .max_runs = kSelfTestRuns, .alpha = 1e-12});
  SelfTest test{.metric = kMetrics[metric], .isolated = isolated};
  test.median = stats::median(sides[0]).value_or(0);
  if (!decision.looks.empty()) test.sigma = decision.looks.back().sigma;
  test.smallest_difference =
      std::expm1((kClaim + kPower) * test.sigma / std::sqrt(double{kSelfTestRuns}));
  return test;
}

}  // namespace

Result<std::optional<SelfTestReport>> self_test(
    const Subject& subject, bool isolated, std::uint64_t seed, const std::atomic<bool>& interrupted,
    const std::function<void(std::uint32_t, std::uint32_t)>& on_block) {
  const Plan plan = plan_of(subject, isolated, seed);
  auto runner = measure::TrialRunner::start(plan, interrupted);
  if (!runner) return fail(runner.error());
  std::array<std::array<std::vector<double>, 2>, kMetrics.size()> values;
  constexpr std::uint32_t kBlocks = kSelfTestRuns / experiment::kRunsPerArm;
  for (std::uint32_t block = 0; block <= kBlocks; ++block) {
    const auto runs = block == 0 ? experiment::warmup_runs(seed, "doctor", {0, 1})
                                 : experiment::shuffled_block(seed, "doctor", block, {0, 1},
                                                              experiment::kRunsPerArm);
    for (const Run& run : runs) {
      auto trial = (*runner)->run(run);
      if (!trial) return fail(trial.error());
      if (!*trial) return std::optional<SelfTestReport>();
      if ((*trial)->exit != Exit{}) return fail("the test program failed", subject.label);
      if (run.warmup) continue;
      for (std::size_t m = 0; m < kMetrics.size(); ++m)
        values[m][run.arm].push_back((*trial)->values[m].value_or(0));
    }
    if (on_block) on_block(block, kBlocks);
  }
  SelfTestReport report{.tests = {}, .warnings = (*runner)->warnings()};
  for (std::size_t m = 0; m < kMetrics.size(); ++m)
    report.tests.push_back(read(m, values[m], isolated));
  return std::optional(std::move(report));
}

}  // namespace assay::lab
