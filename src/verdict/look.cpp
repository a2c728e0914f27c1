// SPDX-License-Identifier: Apache-2.0
#include "verdict/look.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"
#include "stats/distributions.hpp"
#include "stats/null_distribution.hpp"
#include "stats/ties.hpp"

namespace assay::verdict {
namespace {

using stats::kTie;

// Nominal two-sided levels of one look. Over all 19 looks they add up to an exact overall error of
// .0099 (99 %) and .0498 (95 %). The first look has its own: .0008 cannot be reached by 6 + 6 runs.
constexpr double kLevel99First = 0.00217, kLevel99 = 0.0008, kLevel95 = 0.0055;
constexpr double kLevel99Guard = 0.00008, kLevel95Guard = 0.0011;
constexpr double kOverall = 0.01;  // what the 99 % levels add up to; scales p to p_look

constexpr double kMoreSafety = 1.3;       // on the variance, in forecasts
constexpr double kZ95 = 2.776190;         // two-sided normal quantile of kLevel95
constexpr double kZ50 = 0.674490;         // of 0.5
constexpr double kGuardWidening = 1.177;  // of the intervals under the guard, for forecasts

bool unequal_spread(double spread_a, double spread_b, std::size_t n) {
  const auto [narrow, wide] = std::minmax(spread_a, spread_b);
  return wide > kTie && wide > (n <= 12 ? 3.0 : 2.0) * narrow;
}

// The order statistics v[c] and v[N-1-c]; none when even the extremes do not reach the level.
void set_bounds(std::span<const double> v, int c, std::optional<double>& lo,
                std::optional<double>& hi) {
  if (c < 0) return;
  lo = v[static_cast<std::size_t>(c)];
  hi = v[v.size() - 1 - static_cast<std::size_t>(c)];
}

// Moves an edge out in quadrature with the noise floor.
void widen(double estimate, double floor, std::optional<double>& lo, std::optional<double>& hi) {
  if (lo) lo = estimate - std::hypot(estimate - *lo, floor);
  if (hi) hi = estimate + std::hypot(*hi - estimate, floor);
}

}  // namespace

LookRule::LookRule(const RuleOptions& options)
    : options_(options), log_tolerance_(std::log1p(options.tolerance)) {
  ASSAY_CHECK(options.tolerance > 0 && std::isfinite(options.tolerance),
              "the tolerance is positive");
  ASSAY_CHECK(options.alpha > 0 && options.alpha <= 1, "alpha lies in (0, 1]");
  ASSAY_CHECK(options.sys_sigma >= 0 && std::isfinite(options.sys_sigma),
              "a floor is not negative");
  if (options.sys_sigma > 0) {
    ASSAY_CHECK(options.sys_k >= 1, "a noise floor has comparisons behind it");
    floor99_ = stats::t_quantile(0.995, options.sys_k) * options.sys_sigma;
    floor95_ = stats::t_quantile(0.975, options.sys_k) * options.sys_sigma;
  }
}

Look LookRule::read(std::span<const double> v, double spread_a, double spread_b) const {
  const std::size_t size = v.size(), n = size / kSideRuns;
  ASSAY_CHECK(size > 0 && size % (kSideRuns * kSideRuns) == 0, "36 cross ratios a block");
  const auto& null = stats::pooled_count(n / kSideRuns);
  Look look;
  look.n = static_cast<std::uint32_t>(n);
  look.estimate = 0.5 * (v[size / 2 - 1] + v[size / 2]);
  look.guard = unequal_spread(spread_a, spread_b, n);
  const double level99 = look.guard ? kLevel99Guard : n == 6 ? kLevel99First : kLevel99;
  set_bounds(v, null.critical(level99), look.lo99, look.hi99);
  set_bounds(v, null.critical(look.guard ? kLevel95Guard : kLevel95), look.lo95, look.hi95);

  const auto not_above = std::upper_bound(v.begin(), v.end(), kTie) - v.begin();
  const auto not_below = v.end() - std::lower_bound(v.begin(), v.end(), -kTie);
  look.p =
      null.two_sided_p(static_cast<std::size_t>(not_above), static_cast<std::size_t>(not_below));
  look.q = std::min(1.0, kOverall / level99 * look.p);
  const auto middle = static_cast<std::size_t>(null.critical(0.5));
  look.sigma = (v[size - 1 - middle] - v[middle]) / (2 * kZ50) * std::sqrt(static_cast<double>(n));
  if (options_.sys_sigma > 0) {
    widen(look.estimate, floor99_, look.lo99, look.hi99);
    widen(look.estimate, floor95_, look.lo95, look.hi95);
  }
  if (look.q <= options_.alpha * (1 + 1e-9)) {
    if (look.lo99 && *look.lo99 > kTie)
      look.sign = Sign::slower;
    else if (look.hi99 && *look.hi99 < -kTie)
      look.sign = Sign::faster;
  }
  look.verdict = judge(look);
  return look;
}

std::optional<Verdict> LookRule::judge(const Look& look) const {
  const double edge = log_tolerance_;
  if (look.n >= options_.min_equivalent_runs && look.hi95 && look.lo95 &&
      *look.hi95 <= edge + kTie && *look.lo95 >= -edge - kTie)
    return Verdict::equivalent;
  if (look.sign == Sign::slower && look.estimate >= edge - kTie) return Verdict::slower;
  if (look.sign == Sign::faster && look.estimate <= -edge + kTie) return Verdict::faster;
  return std::nullopt;
}

// The interval shrinks like 1 / sqrt(n); it must come to lie clear of the nearest boundary: of 0
// when the estimate is beyond the tolerance, of the tolerance otherwise.
Forecast LookRule::forecast(const Look& look) const {
  const double size = std::fabs(look.estimate);
  const bool beyond = size >= log_tolerance_;
  double gap = beyond ? size : log_tolerance_ - size;
  double z =
      beyond ? stats::normal_upper_quantile(0.5 * options_.alpha * kLevel99 / kOverall) : kZ95;
  if (look.guard) z *= kGuardWidening;
  if (options_.sys_sigma > 0) {
    const double floor = beyond ? floor99_ : floor95_;
    if (floor >= gap) return {std::nullopt, true};
    gap = std::sqrt(gap * gap - floor * floor);
  }
  if (gap <= 0) return {};
  const double wanted = z * look.sigma / gap;
  double need = std::max(kMoreSafety * wanted * wanted, static_cast<double>(look.n) + 1);
  if (!beyond) need = std::max(need, static_cast<double>(options_.min_equivalent_runs));
  for (const std::uint32_t n : kLooks)
    if (n >= need) return {n, false};
  return {};
}

std::optional<std::uint32_t> last_look_within(std::uint64_t runs) {
  const auto above = std::upper_bound(kLooks.begin(), kLooks.end(), runs);
  if (above == kLooks.begin()) return std::nullopt;
  return *(above - 1);
}

}  // namespace assay::verdict
