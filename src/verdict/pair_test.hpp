// SPDX-License-Identifier: Apache-2.0
// The decision rule for one metric of one pair (baseline A, candidate B): docs/statistics.md.
// Incremental: blocks come one by one, looks happen at the scheduled sizes, the first decision stays.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/conclusion.hpp"

namespace assay::verdict {

// Runs per side at which the rule may look.
inline constexpr std::array<std::uint32_t, 19> kLooks = {6,  12,  18,  24,  30,  36,  48,  60,  78, 96,
                                                         120, 156, 198, 252, 324, 420, 540, 696, 900};

struct RuleOptions {
  double tolerance = 0.02;         // tau; T = log1p(tau)
  std::uint32_t max_runs = 198;    // per side; looks beyond it do not happen
  double alpha = 0.01;             // of this metric while sampling: .01 / M in a family of M
  double sys_sigma = 0;            // noise floor, log units
  int sys_k = 0;                   // comparisons behind the noise floor
  std::uint32_t min_equivalent_runs = 0;  // EQUIVALENT only from here on (--tails: 96)
};

// One look. Log units; no bound (nothing) only at n = 6 under the spread guard.
struct Look {
  std::uint32_t n = 0;             // runs per side
  double estimate = 0;
  std::optional<double> lo99, hi99, lo95, hi95;
  double p = 1;                    // two-sided, at this look alone
  double q = 1;                    // p_look: this look's contribution to p_seq
  double sigma = 0;                // robust SD of one run pair
  bool guard = false;
  Sign sign = Sign::none;
  std::optional<Verdict> verdict;  // equivalent, slower or faster; nothing = go on
};

// Sequential test on values in base units. A non-positive value makes it INVALID at once.
class PairTest {
 public:
  explicit PairTest(const RuleOptions& options);

  // One complete block: six runs of A and six of B, in run order, values > 0, higher = worse (the
  // caller has inverted metrics where more is better).
  void add_block(std::span<const double> a, std::span<const double> b);

  bool is_open() const { return verdict_ == Verdict::undecided; }
  Verdict verdict() const { return verdict_; }  // undecided while open
  Reason reason() const;                        // of the state as it is now
  const std::vector<Look>& looks() const { return looks_; }
  std::uint32_t runs() const { return runs_; }  // per side, all blocks seen
  // The reading at the deciding look, or at the last look. Without any look: runs() and `more` = 6.
  Reading reading() const;
  // Log ratio of everything seen, also after the decision; nothing before the first block.
  std::optional<double> estimate_of_all() const;
  const RuleOptions& options() const { return options_; }

 private:
  // (helper's choice: sorted cross ratios, sorted same-side differences, values for tail_z)
  RuleOptions options_;
  Verdict verdict_ = Verdict::undecided;
  std::vector<Look> looks_;
  std::uint32_t runs_ = 0;
};

// The whole rule on stored series: a[6k..6k+5], b[6k..6k+5] are block k. Incomplete blocks do not count,
// except that with fewer than six runs a side `runs` says how many there were.
struct Decision {
  Verdict verdict = Verdict::undecided;
  Reason reason = Reason::too_few;
  Reading reading;
  std::vector<Look> looks;
};
Decision decide(std::span<const double> a, std::span<const double> b, const RuleOptions& options);

}  // namespace assay::verdict
