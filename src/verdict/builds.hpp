// SPDX-License-Identifier: Apache-2.0
// Several builds or sessions a side: what repeating one pair of binaries cannot see (layout, the
// state of the machine that day) varies between them, so the unit is the pair of builds, and
// Student's t between the pairs replaces the ranks (rule.md section 5).
#pragma once

#include <span>

#include "verdict/pair_test.hpp"

namespace assay::verdict {

struct GroupOptions {
  double tolerance = 0.02;
  double alpha = 0.01;  // of a claim; .01 / M in a family of M
};

inline constexpr std::size_t kMinBuilds = 3;

// K independent builds or sessions per side, no stopping.
//   effects  log ratio candidate / baseline of each pair of builds (the estimate of its blocks), or
//   of
//            the k-th session of either side in the random order of sessions
// mean +- t(.995 | .975, K - 1) sd / sqrt(K), then the rule's words. Reading: runs = K, p_seq = p
// of the t test, more = builds per side, in total, that would do at this spread. Below 3: too_few.
Decision build_verdict(std::span<const double> effects, const GroupOptions& options);

// The same of sessions that give one value each, > 0, higher = worse; equally many per side
// (surplus ones do not count). A value without logarithm: INVALID.
Decision session_verdict(std::span<const double> baseline, std::span<const double> candidate,
                         const GroupOptions& options);

// What both above and the stored baseline share: the rule's words for estimate +- t s.
// error = standard error, df = degrees of freedom of t; both given, runs is copied.
Decision judge_t(double estimate, double error, double df, std::uint32_t runs,
                 const GroupOptions& options);

}  // namespace assay::verdict
