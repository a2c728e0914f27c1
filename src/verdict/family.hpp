// SPDX-License-Identifier: Apache-2.0
// Several verdicts at once: a family of gating metrics and comparisons shares one 1 % (rule.md
// section 4), and so do re-runs of one comparison (section 8).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "model/conclusion.hpp"

namespace assay::verdict {

inline constexpr double kFamilyLevel = 0.01;

// 128 KiB is what a peak of memory moves by for no reason (page and arena granularity): the
// tolerance of peak memory is never below it. median_bytes > 0, of the baseline.
double memory_tolerance(double tolerance, double median_bytes);

// A verdict of a test that sampled with alpha = kFamilyLevel / family size.
struct FamilyMember {
  Verdict verdict = Verdict::undecided;
  Reading reading;
  double tolerance = 0.02;  // of this member
};

struct FamilyOutcome {
  double adjusted_p = 1;  // Holm over the family's p_seq
  Verdict verdict = Verdict::undecided;
  bool by_holm = false;  // an UNDECIDED that became a claim here
};

// Holm on p_seq at the end of sampling. Sampling at alpha / M is Bonferroni; Holm gives back what
// the members that were decided leave over. An UNDECIDED becomes SLOWER or FASTER only where its 99
// % interval at its last look excludes 0 and the estimate is as large as the tolerance. No other
// verdict changes. Order of the input.
std::vector<FamilyOutcome> family_holm(std::span<const FamilyMember> members,
                                       double level = kFamilyLevel);

// Re-running until green voids the 1 %: a claim must survive Holm over all runs of the same
// comparison.
struct RerunOutcome {
  double adjusted_p = 1;
  bool stands = false;  // adjusted_p <= level
};
// new_p        of the new report's claim, already adjusted for its own family
// (FamilyOutcome::adjusted_p) earlier_min  smallest p_seq over the gates of each earlier run;
// multiplied by `family_size` here
RerunOutcome correct_for_reruns(double new_p, std::span<const double> earlier_min,
                                std::size_t family_size, double level = kFamilyLevel);

}  // namespace assay::verdict
