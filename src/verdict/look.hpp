// SPDX-License-Identifier: Apache-2.0
// One look of the rule: estimate, intervals, p and verdict from all cross ratios so far
// (docs/statistics.md; rule.md sections 2 and 3). pair_test.hpp strings the looks together.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "model/conclusion.hpp"

namespace assay::verdict {

inline constexpr std::size_t kSideRuns = 6;  // runs of either side in a block

// Runs per side at which the rule may look.
inline constexpr std::array<std::uint32_t, 19> kLooks = {
    6, 12, 18, 24, 30, 36, 48, 60, 78, 96, 120, 156, 198, 252, 324, 420, 540, 696, 900};

struct RuleOptions {
  double tolerance = 0.02;                // tau; T = log1p(tau)
  std::uint32_t max_runs = 198;           // per side; looks beyond it do not happen
  double alpha = 0.01;                    // of this metric while sampling: .01 / M in a family of M
  double sys_sigma = 0;                   // noise floor, log units
  int sys_k = 0;                          // comparisons behind the noise floor
  std::uint32_t min_equivalent_runs = 0;  // EQUIVALENT only from here on (--tails: 96)
};

// Log units; no bound (nothing) only at n = 6 under the spread guard.
struct Look {
  std::uint32_t n = 0;  // runs per side
  double estimate = 0;
  std::optional<double> lo99, hi99, lo95, hi95;
  double p = 1;      // two-sided, at this look alone
  double q = 1;      // p_look: this look's contribution to p_seq
  double sigma = 0;  // robust SD of one run pair
  bool guard = false;
  Sign sign = Sign::none;
  std::optional<Verdict> verdict;  // equivalent, slower or faster; nothing = go on
};

// Runs per side, in total, that would probably bring a verdict.
struct Forecast {
  std::optional<std::uint32_t> runs;  // a scheduled look; nothing: not decidable here
  bool noise_floor = false;  // the floor alone keeps it undecided, however many runs are made
};

// The options of one metric with what follows from them worked out once. Immutable.
class LookRule {
 public:
  // tolerance > 0, alpha in (0, 1], sys_sigma >= 0, and sys_k >= 1 where sys_sigma > 0.
  explicit LookRule(const RuleOptions& options);

  // cross     log b_j - log a_i of every pair inside a block, ascending; 6 n values, n a multiple
  // of 6
  //           up to 900
  // spread_*  median same-side difference of either side (log units)
  Look read(std::span<const double> cross, double spread_a, double spread_b) const;

  // For a look without verdict; planning only, no error rate hangs on it.
  Forecast forecast(const Look& look) const;

  const RuleOptions& options() const { return options_; }
  double log_tolerance() const { return log_tolerance_; }

 private:
  std::optional<Verdict> judge(const Look& look) const;

  RuleOptions options_;
  double log_tolerance_ = 0;
  double floor99_ = 0, floor95_ = 0;  // half-widths that the noise floor adds in quadrature
};

// The largest scheduled size not above `runs`; nothing below 6.
std::optional<std::uint32_t> last_look_within(std::uint64_t runs);

}  // namespace assay::verdict
