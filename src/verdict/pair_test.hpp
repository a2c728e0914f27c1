// SPDX-License-Identifier: Apache-2.0
// The decision rule for one metric of one pair (baseline A, candidate B): docs/statistics.md.
// Incremental: blocks come one by one, looks happen at the scheduled sizes, the first decision
// stays.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/conclusion.hpp"
#include "verdict/look.hpp"
#include "verdict/tails.hpp"

namespace assay::verdict {

// Sequential test on values in base units. A value that is not positive and finite has no logarithm
// and makes it INVALID at once, whatever it said before.
class PairTest {
 public:
  explicit PairTest(const RuleOptions& options);

  // One complete block: six runs of A and six of B, in run order, values > 0, higher = worse (the
  // caller has inverted metrics where more is better). Costs about a microsecond, and a look a few.
  void add_block(std::span<const double> a, std::span<const double> b);

  bool is_open() const { return verdict_ == Verdict::undecided; }
  Verdict verdict() const { return verdict_; }  // undecided while open
  Reason reason() const;                        // of the state as it is now
  const std::vector<Look>& looks() const { return looks_; }
  std::uint32_t runs() const { return runs_; }  // per side, all blocks seen
  // The reading at the deciding look, or at the last look. Without any look: runs() and `more` = 6.
  Reading reading() const;
  // Log ratio of everything seen, also after the decision; nothing before the first block or when
  // INVALID.
  std::optional<double> estimate_of_all() const;
  // Whether going on is pointless when no more than `reachable` runs per side can be made (the cap,
  // or what the budget allows): from n >= 36, two looks in a row need more than that, and neither
  // estimate is as large as the tolerance. A forecast from one estimate is too gloomy when the
  // estimate lies near the tolerance by chance, so it must come out so at the estimate and one
  // standard error to either side of it: with identical sides and 3 % of noise 99 % become
  // EQUIVALENT, and 81 % without that (`assay simulate compare --noise ln3 --ratio 1`). Never for a
  // test that has decided.
  bool is_futile(std::uint32_t reachable) const;
  const RuleOptions& options() const { return rule_.options(); }

 private:
  void look();

  LookRule rule_;
  Verdict verdict_ = Verdict::undecided;
  std::vector<Look> looks_;
  std::uint32_t runs_ = 0;
  double p_seq_ = 1;
  // log b_j - log a_i inside the blocks: ascending up to sorted_, then the blocks since the last
  // look.
  std::vector<double> cross_;
  std::size_t sorted_ = 0;
  std::vector<double> differences_a_, differences_b_;  // same-side pairs of every block, unordered
  TailCount tails_;               // of the runs up to the last block while open
  std::optional<double> tail_z_;  // at the last look
};

// The whole rule on stored series: a[6k..6k+5], b[6k..6k+5] are block k. Incomplete blocks do not
// count, except that with fewer than six runs a side `runs` says how many there were.
struct Decision {
  Verdict verdict = Verdict::undecided;
  Reason reason = Reason::too_few;
  Reading reading;
  std::vector<Look> looks;
};
// Equal to a PairTest fed with the complete blocks, but a value without logarithm anywhere, also
// behind the deciding look or in an incomplete block, makes it INVALID.
Decision decide(std::span<const double> a, std::span<const double> b, const RuleOptions& options);

}  // namespace assay::verdict
