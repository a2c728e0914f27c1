// SPDX-License-Identifier: Apache-2.0
#include "experiment/contrast.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"
#include "experiment/order.hpp"
#include "experiment/pairs.hpp"
#include "stats/order.hpp"

namespace assay::experiment {
namespace {

verdict::RuleOptions options_of(const Plan& plan, std::uint32_t metric, double alpha,
                                double tolerance, std::uint32_t most_runs) {
  verdict::RuleOptions options{.tolerance = tolerance, .max_runs = most_runs, .alpha = alpha};
  for (const NoiseFloor& floor : plan.floors) {
    if (floor.metric != plan.metrics[metric].name) continue;
    options.sys_sigma = floor.sys_sigma;
    options.sys_k = floor.sys_k;
  }
  return options;
}

}  // namespace

std::vector<std::uint32_t> Contrast::arms() const {
  std::vector<std::uint32_t> arms = minus;
  arms.insert(arms.end(), plus.begin(), plus.end());
  return arms;
}

ContrastTest::ContrastTest(const Plan& plan, Contrast contrast, double alpha, double tolerance,
                           std::uint32_t most_runs)
    : plan_(plan),
      metric_(gates_of(plan).front()),
      contrast_(std::move(contrast)),
      most_runs_(most_runs),
      test_(options_of(plan, metric_, alpha, tolerance, most_runs)) {}

void ContrastTest::add_block(const std::vector<std::vector<double>>& logs) {
  ASSAY_CHECK(logs.size() == contrast_.minus.size() + contrast_.plus.size(), "all arms ran");
  std::vector<double> minus(kRunsPerArm, 0), plus(kRunsPerArm, 0);
  for (std::size_t arm = 0; arm < logs.size(); ++arm) {
    auto& side = arm < contrast_.minus.size() ? minus : plus;
    for (std::size_t i = 0; i < kRunsPerArm; ++i) side[i] += logs[arm].at(i);
  }
  minus_.insert(minus_.end(), minus.begin(), minus.end());
  plus_.insert(plus_.end(), plus.begin(), plus.end());
  for (double& value : minus) value = std::exp(value);
  for (double& value : plus) value = std::exp(value);
  test_.add_block(minus, plus);
}

bool ContrastTest::goes_on() const {
  if (!test_.is_open() || test_.is_futile(most_runs_)) return false;
  return std::ranges::any_of(verdict::kLooks, [&](std::uint32_t look) {
    return look > test_.runs() && look <= most_runs_;
  });
}

MetricFinding ContrastTest::finding(std::uint32_t arm) const {
  MetricFinding finding{.arm = arm, .metric = metric_};
  finding.verdict = test_.verdict();
  finding.reason = test_.reason();
  finding.reading = test_.reading();
  finding.all_runs = test_.runs();
  if (contrast_.plus.size() != 1 || plus_.empty()) return finding;  // sums are of no unit
  const bool higher = plan_.metrics[metric_].better == Better::higher;
  const auto base = [&](const std::vector<double>& logs) {
    const double middle = *stats::median(logs);
    return std::exp(higher ? -middle : middle);
  };
  finding.baseline_median = base(minus_);
  finding.candidate_median = base(plus_);
  return finding;
}

}  // namespace assay::experiment
