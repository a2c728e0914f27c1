// SPDX-License-Identifier: Apache-2.0
// Two sides that other tools measured: what may be said of them. A side that ran as one process, or
// is one number, cannot be judged however many repetitions it made, because what differs between
// processes (layout, the state of the machine) is then on one side only. Sides of several processes
// can be judged when they took turns in time, which only files with dates show: the time line is
// cut into the smallest rounds that hold equally many processes of either side, and Student's t
// between the rounds is that of `compare --sessions` (rule.md section 5).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "verdict/builds.hpp"

namespace assay::verdict {

// What of a process's values counts: those behind the first max(1, 10 %), which warm up (rule.md
// section 1); of one value that. Where they are sorted the first are not the early ones, and none
// is dropped.
std::span<const double> warm_values(std::span<const double> values, bool sorted);

// The one value of a process that repeated inside: the median of its warm values. Nothing without
// values.
std::optional<double> process_value(std::span<const double> values, bool sorted);

struct ImportedProcess {
  double value = 0;                                // higher = worse
  std::optional<std::int64_t> started_at_ms = {};  // Unix time
};

// Why a comparison of imported sides is or is not judged.
enum class Standing {
  judged,
  unreplicated,     // fewer than 3 processes on a side
  order_unknown,    // no dates: whether the sides took turns cannot be seen
  not_interleaved,  // fewer than 3 rounds, or one side always ran first
  non_positive,     // a value without logarithm
  both_zero         // every value of either side is 0: nothing changed, and no ratio says so
};
// "judged", "unreplicated", "order-unknown", "not-interleaved", "non-positive", "both-zero".
std::string_view to_word(Standing standing);

inline constexpr std::size_t kMostOfRound = 12;  // processes, as in a block of the rule

struct ImportedVerdict {
  Standing standing = Standing::unreplicated;
  Decision decision = {};                // UNDECIDED unless judged
  std::optional<double> log_ratio = {};  // of the medians of the processes; nothing without them
  std::size_t rounds = 0;                // that were found in the time line
  std::size_t baseline_first = 0;        // of these, begun by the baseline
  std::size_t outside = 0;               // processes in none of them
};
ImportedVerdict judge_imported(std::span<const ImportedProcess> baseline,
                               std::span<const ImportedProcess> candidate,
                               const GroupOptions& options);

}  // namespace assay::verdict
