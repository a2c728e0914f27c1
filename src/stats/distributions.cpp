// SPDX-License-Identifier: Apache-2.0
#include "stats/distributions.hpp"

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "base/check.hpp"

namespace assay::stats {
namespace {

namespace math = boost::math;

// No exception may leave; double is precise enough and several times faster than long double.
using Policy =
    math::policies::policy<math::policies::domain_error<math::policies::ignore_error>,
                           math::policies::pole_error<math::policies::ignore_error>,
                           math::policies::overflow_error<math::policies::ignore_error>,
                           math::policies::underflow_error<math::policies::ignore_error>,
                           math::policies::evaluation_error<math::policies::ignore_error>,
                           math::policies::promote_double<false>>;

bool is_probability(double p) { return p > 0 && p < 1; }
bool is_positive(double x) { return x > 0 && std::isfinite(x); }

}  // namespace

double normal_upper_quantile(double p) {
  ASSAY_CHECK(is_probability(p), "a quantile needs a probability inside (0, 1)");
  return math::quantile(math::complement(math::normal_distribution<double, Policy>(), p));
}

double normal_two_sided(double z) { return std::erfc(std::fabs(z) / std::sqrt(2.0)); }

double t_quantile(double p, double df) {
  ASSAY_CHECK(is_probability(p), "a quantile needs a probability inside (0, 1)");
  ASSAY_CHECK(is_positive(df), "degrees of freedom are positive");
  const math::students_t_distribution<double, Policy> t(df);
  // The complement keeps the upper tail exact.
  return p > 0.5 ? math::quantile(math::complement(t, 1 - p)) : math::quantile(t, p);
}

double t_two_sided(double t, double df) {
  ASSAY_CHECK(is_positive(df), "degrees of freedom are positive");
  ASSAY_CHECK(!std::isnan(t), "a t statistic is a number");
  if (std::isinf(t)) return 0;
  const math::students_t_distribution<double, Policy> distribution(df);
  return 2 * math::cdf(math::complement(distribution, std::fabs(t)));
}

double chi_squared_upper(double x, double df) {
  ASSAY_CHECK(is_positive(df), "degrees of freedom are positive");
  ASSAY_CHECK(x >= 0 && std::isfinite(x), "a chi-squared statistic is not negative");
  return math::cdf(math::complement(math::chi_squared_distribution<double, Policy>(df), x));
}

double fair_coin_cdf(std::uint64_t k, std::uint64_t n) {
  ASSAY_CHECK(n >= 1 && k < n, "heads below the number of coins");
  const math::binomial_distribution<double, Policy> heads(static_cast<double>(n), 0.5);
  return math::cdf(heads, static_cast<double>(k));
}

}  // namespace assay::stats
