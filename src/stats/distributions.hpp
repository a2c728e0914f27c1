// SPDX-License-Identifier: Apache-2.0
// Quantiles and tails of the textbook distributions, by Boost.Math (distributions.cpp is the only
// file that includes it). Arguments outside the stated domain are bugs of ours and are checked.
#pragma once

#include <cstdint>

namespace assay::stats {

// z with P(Z > z) = p for a standard normal Z; p in (0, 1), exact in the tail: 0.0004 -> 3.3528.
double normal_upper_quantile(double p);

// P(|Z| >= |z|) for a standard normal Z: erfc(|z| / sqrt 2).
double normal_two_sided(double z);

// t with P(T <= t) = p for Student's T with df > 0 degrees of freedom; p in (0, 1):
// (0.995, 4) -> 4.6041.
double t_quantile(double p, double df);

// P(|T| >= |t|) for Student's T; t may be infinite (0).
double t_two_sided(double t, double df);

// P(X >= x) for a chi-squared X with df > 0 degrees of freedom; x >= 0.
double chi_squared_upper(double x, double df);

// P(X <= k) for a count X of heads among n >= 1 fair coins; k < n.
double fair_coin_cdf(std::uint64_t k, std::uint64_t n);

}  // namespace assay::stats
