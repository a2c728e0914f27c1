// SPDX-License-Identifier: Apache-2.0
// For tests: rows of `assay simulate`, and the bounds of a binomial count of them.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "experiment/simulate.hpp"

namespace assay::experiment {

inline double binomial_pmf(std::uint64_t k, std::uint64_t n, double p) {
  const double x = static_cast<double>(k), of = static_cast<double>(n);
  return std::exp(std::lgamma(of + 1) - std::lgamma(x + 1) - std::lgamma(of - x + 1) +
                  x * std::log(p) + (of - x) * std::log1p(-p));
}

// The smallest k with P(X > k) <= 1e-4 for X of n at rate p.
inline std::uint64_t at_most(std::uint64_t n, double p) {
  double below = 0;
  for (std::uint64_t k = 0;; ++k) {
    below += binomial_pmf(k, n, p);
    if (below >= 1 - 1e-4) return k;
  }
}

inline std::uint64_t at_least(std::uint64_t n, double p) { return n - at_most(n, 1 - p); }

inline std::vector<SimulatedRow> simulated_rows(const ScenarioOptions& wanted,
                                                std::uint64_t repetitions, unsigned threads = 2,
                                                std::uint64_t seed = 1) {
  const auto scenarios = make_scenarios(wanted);
  EXPECT_TRUE(scenarios.has_value()) << scenarios.error().to_text();
  std::vector<SimulatedRow> rows;
  for (const Scenario& scenario : *scenarios) {
    SimulateOptions options;
    options.repetitions = repetitions;
    options.threads = threads;
    options.seed = seed;
    rows.push_back(*simulate(scenario, options));
  }
  return rows;
}

inline SimulatedRow simulated_row(const char* path, const char* noise, double ratio,
                                  std::uint64_t repetitions) {
  return simulated_rows({.paths = {path}, .noises = {noise}, .ratios = {ratio}}, repetitions)
      .front();
}

inline const Tally& tally_of(const SimulatedRow& row, const std::string& what) {
  for (const Tally& tally : row.tallies)
    if (tally.what == what) return tally;
  ADD_FAILURE() << "no tally " << what;
  return row.tallies.front();
}

}  // namespace assay::experiment
