// SPDX-License-Identifier: Apache-2.0
// Exact null distributions of the two rank counts that the rule uses, and their critical values.
//
// pooled_count: in a block of 6 A and 6 B runs in uniformly random order, the number of the 36
// cross pairs in which B < A is distributed as Mann-Whitney's U for 6 and 6, whatever the values
// are, as long as the labels mean nothing. Blocks are independent, so the count over K blocks has
// the K-fold convolution. signed_rank_count: Wilcoxon's sum of the ranks of the positive ones of n
// differences. Ref: Mann and Whitney 1947; Wilcoxon 1945; Lehmann, Nonparametrics, ch. 1 and 3.
#pragma once

#include <cstddef>
#include <vector>

namespace assay::stats {

// A distribution on 0, 1, ..., size - 1, symmetric about the middle.
class NullDistribution {
 public:
  explicit NullDistribution(std::vector<double> cumulative) : cdf_(std::move(cumulative)) {}

  // P(count <= c); c below size().
  double cdf(std::size_t c) const;
  // The largest c with P(count <= c) <= two_sided / 2 (relative slack 1e-12), or -1 when there is
  // none.
  int critical(double two_sided) const;
  // min(1, 2 min(P(count <= low), P(count <= high))): the two-sided p of a value that leaves `low`
  // items on one side and `high` on the other.
  double two_sided_p(std::size_t low, std::size_t high) const;
  std::size_t size() const { return cdf_.size(); }

 private:
  std::vector<double> cdf_;
};

inline constexpr std::size_t kMaxBlocks = 150;  // 900 runs a side

// The pooled count of `blocks` blocks, 1..kMaxBlocks; 36 * blocks + 1 values. Computed once a
// process (all up to 33 blocks: 0.6 ms; up to 150: 15 ms at -O2), thread safe, valid until the end.
const NullDistribution& pooled_count(std::size_t blocks);

// The signed-rank sum of n differences, 1..1000; n (n + 1) / 2 + 1 values. Not cached: n^3 / 6
// additions.
NullDistribution signed_rank_count(std::size_t n);

}  // namespace assay::stats
