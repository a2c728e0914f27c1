// SPDX-License-Identifier: Apache-2.0
#include "verdict/noise_floor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stats/order.hpp"
#include "stats/sums.hpp"
#include "verdict/pair_test.hpp"

namespace assay::verdict {
namespace {

constexpr double kZ95 = 2.776190;  // normal quantile of the level of one look's 95 % interval

// The one look at the end of a comparison.
Result<Look> final_look(const Calibration& comparison, std::size_t number) {
  const std::string where = fmt::format("comparison {}", number);
  const std::size_t available = std::min(comparison.a.size(), comparison.b.size());
  const auto runs = last_look_within(available);
  if (!runs || *runs < 12)
    return fail(fmt::format("{} runs a side are too few for a noise floor", available), where,
                "make 36 runs a side or more");
  std::vector<double> cross, differences_a, differences_b;
  std::vector<double> log_a, log_b;
  for (std::size_t i = 0; i < *runs; ++i) {
    const double a = comparison.a[i], b = comparison.b[i];
    if (!(a > 0) || !(b > 0) || !std::isfinite(a) || !std::isfinite(b))
      return fail("a value that is not positive has no ratio", where,
                  "a metric that can be 0 has no noise floor");
    log_a.push_back(std::log(a));
    log_b.push_back(std::log(b));
  }
  for (std::size_t start = 0; start < *runs; start += kSideRuns) {
    const auto a = std::span(log_a).subspan(start, kSideRuns);
    const auto b = std::span(log_b).subspan(start, kSideRuns);
    for (const double y : b)
      for (const double x : a) cross.push_back(y - x);
    stats::append_pair_differences(a, differences_a);
    stats::append_pair_differences(b, differences_b);
  }
  std::sort(cross.begin(), cross.end());
  return LookRule(RuleOptions{})
      .read(cross, *stats::median_in_place(differences_a), *stats::median_in_place(differences_b));
}

}  // namespace

Result<FloorEstimate> estimate_floor(std::span<const Calibration> comparisons) {
  if (comparisons.size() < kMinCalibrations)
    return fail(fmt::format("a noise floor needs {} comparisons, not {}", kMinCalibrations,
                            comparisons.size()),
                "", "compare the program with more differently laid-out copies of itself");
  std::vector<double> effects_squared, errors_squared, sigmas;
  for (std::size_t k = 0; k < comparisons.size(); ++k) {
    const auto look = final_look(comparisons[k], k + 1);
    if (!look) return fail(look.error());
    const double error = (*look->hi95 - *look->lo95) / (2 * kZ95);
    effects_squared.push_back(look->estimate * look->estimate);
    errors_squared.push_back(error * error);
    sigmas.push_back(look->sigma);
  }
  const double excess = *stats::mean(effects_squared) - *stats::mean(errors_squared);
  FloorEstimate floor;
  floor.sys_sigma = std::sqrt(std::max(0.0, excess));
  floor.sys_k = static_cast<int>(comparisons.size());
  floor.pair_sigma = *stats::median_in_place(sigmas);
  floor.mdt_198 = std::expm1(kZ95 * floor.pair_sigma / std::sqrt(198.0));
  return floor;
}

}  // namespace assay::verdict
