// SPDX-License-Identifier: Apache-2.0
#include "experiment/suite_audit_pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/check.hpp"
#include "stats/distributions.hpp"
#include "stats/multiple.hpp"
#include "stats/order.hpp"
#include "stats/sums.hpp"

namespace assay::experiment {
namespace {

constexpr double kDegrees = 4;  // of 3 + 3 runs; not more where fewer or more were made
// Median of a chi-squared variable with 4 degrees of freedom over 4: sample variances of 3 + 3 runs
// lie below the true one more often than above it.
constexpr double kMedianOfVariance = 0.8392;

double range_of(std::span<const double> values) {
  if (values.empty()) return 0;
  const auto [low, high] = std::ranges::minmax(values);
  return high - low;
}

// Squared deviations from the mean.
double squares_of(std::span<const double> values) {
  return stats::variance(values).value_or(0) * (static_cast<double>(values.size()) - 1);
}

// All of one side beyond all of the other.
bool agree(const SidePair& pair, bool slower) {
  const auto [alone_low, alone_high] = std::ranges::minmax(pair.alone);
  const auto [low, high] = std::ranges::minmax(pair.behind);
  return slower ? low > alone_high : high < alone_low;
}

std::string why_not(const SidePair& pair) {
  if (pair.alone.size() < 2 || pair.behind.empty())
    return fmt::format("{} run{} alone and {} behind others gave a time, 2 and 1 are needed",
                       pair.alone.size(), pair.alone.size() == 1 ? "" : "s", pair.behind.size());
  if (pair.least_n > 0 && pair.least_n < kLeastIterations)
    return fmt::format("n = {:.0f} alone, and {:.0f} are needed", pair.least_n, kLeastIterations);
  return {};
}

}  // namespace

std::vector<Scatter> scatters_of(std::span<const SidePair> pairs) {
  std::vector<Scatter> all(pairs.size());
  std::vector<double> ranges, variances;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const SidePair& pair = pairs[i];
    const auto runs = static_cast<double>(pair.alone.size() + pair.behind.size());
    if (pair.alone.size() < 2 && pair.behind.size() < 2) continue;
    const double sides = (pair.alone.empty() ? 0 : 1) + (pair.behind.empty() ? 0 : 1);
    all[i].range = std::max(range_of(pair.alone), range_of(pair.behind));
    const double variance = (squares_of(pair.alone) + squares_of(pair.behind)) / (runs - sides);
    all[i].sd = std::sqrt(variance);
    ranges.push_back(all[i].range);
    variances.push_back(variance);
  }
  const double typical_range = stats::median(ranges).value_or(0);
  const double typical_sd = std::sqrt(stats::median(variances).value_or(0) / kMedianOfVariance);
  for (Scatter& one : all) {
    one.range = std::max(one.range, typical_range);
    one.sd = std::max(one.sd, typical_sd);
  }
  return all;
}

std::vector<PairJudgement> judge_pairs(std::span<const SidePair> pairs,
                                       std::span<const Scatter> scatters) {
  ASSAY_CHECK(pairs.size() == scatters.size(), "every benchmark has its scatter");
  std::vector<PairJudgement> all(pairs.size());
  std::vector<double> p;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const SidePair& pair = pairs[i];
    PairJudgement& one = all[i];
    one.threshold = std::max(std::log(kLeastFactor), kSpreads * scatters[i].range);
    if (!pair.alone.empty() && !pair.behind.empty())
      one.effect = *stats::median(pair.behind) - *stats::median(pair.alone);
    one.why = why_not(pair);
    one.judged = one.why.empty();
    if (!one.judged) continue;
    const double se = scatters[i].sd * std::sqrt(1 / static_cast<double>(pair.alone.size()) +
                                                 1 / static_cast<double>(pair.behind.size()));
    const double difference = *stats::mean(pair.behind) - *stats::mean(pair.alone);
    p.push_back(se > 0 ? stats::t_two_sided(difference / se, kDegrees) : difference == 0 ? 1 : 0);
  }
  const auto adjusted = stats::benjamini_hochberg(p, kAuditLevel);
  std::size_t next = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    PairJudgement& one = all[i];
    if (!one.judged) continue;
    one.p = adjusted.p[next];
    one.differs = adjusted.reject[next] && std::fabs(one.effect) > one.threshold &&
                  agree(pairs[i], one.effect > 0);
    ++next;
  }
  return all;
}

}  // namespace assay::experiment
