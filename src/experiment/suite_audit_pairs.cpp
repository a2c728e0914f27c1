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

constexpr double kRunsOfSpread = 3;

// Expected range of n normal values, in standard deviations; within 4 % (Blom).
double normal_range(double n) { return 2 * stats::normal_upper_quantile(0.625 / (n + 0.25)); }

// Largest difference, as it would be of three values.
double range_of(std::span<const double> values) {
  if (values.size() < 2) return 0;
  const auto [low, high] = std::ranges::minmax(values);
  return (high - low) * normal_range(kRunsOfSpread) /
         normal_range(static_cast<double>(values.size()));
}

// Three times the spread is for medians of three runs. Of fewer it is not made larger: an order
// that was tried once is confirmed by fresh runs.
double share_of_spread(double alone, double behind) {
  return std::min(1.0, std::sqrt((1 / alone + 1 / behind) / (2 / kRunsOfSpread)));
}

double least_effect(double range, double share) {
  return std::max(std::log(kLeastFactor), kSpreads * range * share);
}

double standard_error(double sd, double alone, double behind) {
  return sd * std::sqrt(1 / alone + 1 / behind);
}

// Student's t that one benchmark of `family` has to pass when no other does.
double lone_t(std::size_t family) {
  const double p = kAuditLevel / static_cast<double>(std::max<std::size_t>(1, family));
  return stats::t_quantile(1 - p / 2, kDegrees);
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
    const bool both = !pair.alone.empty() && !pair.behind.empty();
    const auto alone = static_cast<double>(pair.alone.size());
    const auto behind = static_cast<double>(pair.behind.size());
    one.threshold = least_effect(scatters[i].range, both ? share_of_spread(alone, behind) : 1);
    if (both) one.effect = *stats::median(pair.behind) - *stats::median(pair.alone);
    one.why = why_not(pair);
    one.judged = one.why.empty();
    if (!one.judged) continue;
    const double se = standard_error(scatters[i].sd, alone, behind);
    const double difference = *stats::mean(pair.behind) - *stats::mean(pair.alone);
    p.push_back(se > 0 ? stats::t_two_sided(difference / se, kDegrees) : difference == 0 ? 1 : 0);
  }
  const auto adjusted = stats::benjamini_hochberg(p, kAuditLevel);
  const double needed = lone_t(p.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    PairJudgement& one = all[i];
    if (!one.judged) continue;
    one.least_seen =
        std::max(one.threshold,
                 needed * standard_error(scatters[i].sd, static_cast<double>(pairs[i].alone.size()),
                                         static_cast<double>(pairs[i].behind.size())));
    one.p = adjusted.p[next];
    one.differs = adjusted.reject[next] && std::fabs(one.effect) > one.threshold &&
                  agree(pairs[i], one.effect > 0);
    ++next;
  }
  return all;
}

double least_seen_with(std::span<const SidePair> pairs, std::span<const Scatter> scatters,
                       unsigned repeats) {
  std::vector<double> ranges, sds;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (!why_not(pairs[i]).empty()) continue;
    ranges.push_back(scatters[i].range);
    sds.push_back(scatters[i].sd);
  }
  const double range = stats::median(ranges).value_or(0), sd = stats::median(sds).value_or(0);
  const double n = repeats;
  return std::max({least_effect(range, share_of_spread(n, n)),
                   lone_t(sds.size()) * standard_error(sd, n, n), sd * normal_range(n)});
}

}  // namespace assay::experiment
