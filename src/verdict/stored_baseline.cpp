// SPDX-License-Identifier: Apache-2.0
#include "verdict/stored_baseline.hpp"

#include <cmath>

#include "base/check.hpp"
#include "stats/sums.hpp"

namespace assay::verdict {
namespace {

std::vector<double> medians_that_count(std::span<const Session> sessions) {
  std::vector<double> medians;
  for (const Session& session : sessions) {
    ASSAY_CHECK(std::isfinite(session.log_median), "a session's median has a logarithm");
    if (session.runs >= kMinSessionRuns) medians.push_back(session.log_median);
  }
  return medians;
}

}  // namespace

StoredVerdict judge_against_stored(std::span<const Session> baseline,
                                   std::span<const Session> candidate,
                                   const GroupOptions& options) {
  const auto stored = medians_that_count(baseline), fresh = medians_that_count(candidate);
  const std::size_t count = stored.size();
  StoredVerdict result;
  Decision& decision = result.decision;
  decision.reading.runs = static_cast<std::uint32_t>(count);
  if (count >= 2) {
    const double center = *stats::mean(stored);
    result.deviation = std::sqrt(*stats::variance(stored));
    if (result.deviation > 0)
      for (const double m : stored) result.luck.push_back((m - center) / result.deviation);
    if (!fresh.empty()) {
      const double share =
          1.0 / static_cast<double>(count) + 1.0 / static_cast<double>(fresh.size());
      decision =
          judge_t(*stats::mean(fresh) - center, result.deviation * std::sqrt(share),
                  static_cast<double>(count - 1), static_cast<std::uint32_t>(count), options);
    }
  }
  if (count < kMinStoredSessions) {
    decision.verdict = Verdict::undecided;
    decision.reason = Reason::unreplicated_baseline;
    decision.reading.more = static_cast<std::uint32_t>(kMinStoredSessions);
  }
  return result;
}

}  // namespace assay::verdict
