// SPDX-License-Identifier: Apache-2.0
#include "verdict/builds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/check.hpp"
#include "stats/distributions.hpp"
#include "stats/sums.hpp"
#include "stats/ties.hpp"

namespace assay::verdict {
namespace {

constexpr std::uint32_t kMostBuilds = 100;
constexpr double kSafety = 1.3;  // on the variance, as for runs

// The smallest number of builds whose interval would lie clear of the nearest boundary.
std::optional<std::uint32_t> builds_needed(double estimate, double deviation, std::uint32_t now,
                                           const GroupOptions& options) {
  const double edge = std::log1p(options.tolerance), size = std::fabs(estimate);
  const bool beyond = size >= edge;
  const double gap = beyond ? size : edge - size;
  const double level = beyond ? 1 - options.alpha / 2 : 0.975;
  for (std::uint32_t k = now + 1; k <= kMostBuilds; ++k) {
    const double half = stats::t_quantile(level, k - 1) * std::sqrt(kSafety / k) * deviation;
    if (half < gap) return k;
  }
  return std::nullopt;
}

double two_sided_p(double estimate, double error, double df) {
  if (error > 0) return stats::t_two_sided(estimate / error, df);
  return estimate == 0 ? 1 : 0;
}

}  // namespace

Decision judge_t(double estimate, double error, double df, std::uint32_t runs,
                 const GroupOptions& options) {
  ASSAY_CHECK(options.tolerance > 0 && options.alpha > 0 && options.alpha < 1, "valid options");
  const double edge = std::log1p(options.tolerance);
  const double half99 = stats::t_quantile(0.995, df) * error;
  const double half95 = stats::t_quantile(0.975, df) * error;
  Decision decision;
  Reading& reading = decision.reading;
  reading.runs = runs;
  reading.estimate = estimate;
  reading.lo99 = estimate - half99;
  reading.hi99 = estimate + half99;
  reading.lo95 = estimate - half95;
  reading.hi95 = estimate + half95;
  reading.p_seq = two_sided_p(estimate, error, df);
  const bool claim = reading.p_seq <= options.alpha * (1 + 1e-9);
  if (claim && *reading.lo99 > 0) reading.sign = Sign::slower;
  if (claim && *reading.hi99 < 0) reading.sign = Sign::faster;

  if (*reading.hi95<edge&& * reading.lo95> - edge)
    decision.verdict = Verdict::equivalent;
  else if (reading.sign == Sign::slower && estimate >= edge)
    decision.verdict = Verdict::slower;
  else if (reading.sign == Sign::faster && estimate <= -edge)
    decision.verdict = Verdict::faster;
  if (decision.verdict != Verdict::undecided) {
    decision.reason = half99 <= stats::kTie ? Reason::exact : Reason::decided;
    reading.more = 0;
  } else {
    decision.reason = reading.sign != Sign::none ? Reason::borderline : Reason::noisy;
  }
  return decision;
}

Decision build_verdict(std::span<const double> effects, const GroupOptions& options) {
  const auto count = static_cast<std::uint32_t>(effects.size());
  if (count < kMinBuilds) {
    Decision decision;
    decision.reading.runs = count;
    decision.reading.more = static_cast<std::uint32_t>(kMinBuilds);
    return decision;
  }
  const double center = *stats::mean(effects), deviation = std::sqrt(*stats::variance(effects));
  Decision decision = judge_t(center, deviation / std::sqrt(count), count - 1, count, options);
  if (decision.verdict == Verdict::undecided)
    decision.reading.more = builds_needed(center, deviation, count, options);
  return decision;
}

Decision session_verdict(std::span<const double> baseline, std::span<const double> candidate,
                         const GroupOptions& options) {
  std::vector<double> effects;
  for (std::size_t k = 0; k < std::min(baseline.size(), candidate.size()); ++k) {
    const double effect = std::log(candidate[k]) - std::log(baseline[k]);
    if (!(baseline[k] > 0) || !(candidate[k] > 0) || !std::isfinite(effect)) {
      Decision invalid;
      invalid.verdict = Verdict::invalid;
      invalid.reason = Reason::non_positive;
      invalid.reading.runs = static_cast<std::uint32_t>(k);
      return invalid;
    }
    effects.push_back(effect);
  }
  return build_verdict(effects, options);
}

}  // namespace assay::verdict
