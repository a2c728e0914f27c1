// SPDX-License-Identifier: Apache-2.0
#include "verdict/family.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"
#include "stats/multiple.hpp"
#include "stats/ties.hpp"

namespace assay::verdict {
namespace {

// The claim that a member's last look supports apart from its p; undecided when none.
Verdict supported(const FamilyMember& member) {
  const Reading& reading = member.reading;
  if (!reading.estimate) return Verdict::undecided;
  const double edge = std::log1p(member.tolerance) - stats::kTie;
  if (reading.lo99 && *reading.lo99 > stats::kTie && *reading.estimate >= edge)
    return Verdict::slower;
  if (reading.hi99 && *reading.hi99 < -stats::kTie && *reading.estimate <= -edge)
    return Verdict::faster;
  return Verdict::undecided;
}

}  // namespace

double memory_tolerance(double tolerance, double median_bytes) {
  ASSAY_CHECK(median_bytes > 0, "peak memory is positive");
  return std::max(tolerance, 128.0 * 1024 / median_bytes);
}

std::vector<FamilyOutcome> family_holm(std::span<const FamilyMember> members, double level) {
  std::vector<double> p;
  for (const FamilyMember& member : members) p.push_back(member.reading.p_seq);
  const auto adjusted = stats::holm(p, level);
  std::vector<FamilyOutcome> outcomes;
  for (std::size_t i = 0; i < members.size(); ++i) {
    FamilyOutcome outcome{adjusted.p[i], members[i].verdict, false};
    if (outcome.verdict == Verdict::undecided && adjusted.reject[i]) {
      outcome.verdict = supported(members[i]);
      outcome.by_holm = outcome.verdict != Verdict::undecided;
    }
    outcomes.push_back(outcome);
  }
  return outcomes;
}

RerunOutcome correct_for_reruns(double new_p, std::span<const double> earlier_min,
                                std::size_t family_size, double level) {
  std::vector<double> p = {new_p};
  for (const double earlier : earlier_min)
    p.push_back(
        std::min(1.0, static_cast<double>(std::max<std::size_t>(1, family_size)) * earlier));
  const auto adjusted = stats::holm(p, level);
  return {adjusted.p.front(), adjusted.reject.front()};
}

}  // namespace assay::verdict
