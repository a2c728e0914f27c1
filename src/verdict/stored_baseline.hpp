// SPDX-License-Identifier: Apache-2.0
// When the baseline cannot be run again: its stored sessions against new sessions of the candidate.
// A stored run may have been lucky, so nothing is ever called against a single one: the spread
// between the stored sessions is what a difference must beat (rule.md section 5).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "verdict/builds.hpp"

namespace assay::verdict {

// One session: runs made close together, at a time of its own.
struct Session {
  double log_median = 0;   // median of the logs of its runs
  std::uint32_t runs = 0;  // a session below kMinSessionRuns does not count
};

inline constexpr std::uint32_t kMinSessionRuns = 12;
inline constexpr std::size_t kMinStoredSessions = 5;
inline constexpr double kLucky = 2;  // |luck| beyond it is worth a line

struct StoredVerdict {
  // D +- t(.995 | .975, R - 1) S sqrt(1/R + 1/C). UNDECIDED, unreplicated_baseline below 5 stored
  // sessions, then with more = 5 and an interval only where R >= 2; too_few without a candidate
  // session. reading.runs = R, the stored sessions that count.
  Decision decision;
  double deviation = 0;      // S, between stored sessions; 0 when R < 2
  std::vector<double> luck;  // (m_s - mean) / S of every stored session that counts, in order: -2.3
                             // was a lucky one (fast). Empty when R < 2 or S = 0
};
StoredVerdict judge_against_stored(std::span<const Session> baseline,
                                   std::span<const Session> candidate, const GroupOptions& options);

}  // namespace assay::verdict
