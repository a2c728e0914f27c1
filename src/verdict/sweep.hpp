// SPDX-License-Identifier: Apache-2.0
// Does a value matter, and how? Every round ran all k levels of one parameter once in random order.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "model/findings.hpp"

namespace assay::verdict {

using assay::Shape;

inline constexpr std::size_t kMaxLevels = 256;
inline constexpr std::size_t kMinSweepRounds = 12, kSweepRounds = 24, kMaxSweepRounds = 512;

// A level against the first one: signed-rank Hodges-Lehmann over the rounds, log units.
struct LevelEffect {
  double estimate = 0;
  std::optional<double> lo, hi;  // at 1 - .05 / (k - 1); nothing for too few rounds
};

struct SweepResult {
  Shape shape = Shape::undecided;
  std::optional<std::size_t> at;    // STEP: levels 0..at-1 against at..k-1
  std::vector<double> z, p_holm;    // of the contrasts: [0] trend, [j] step after level j
  std::vector<LevelEffect> levels;  // [0] is 0, 0, 0
};

// y   row-major, rounds x levels, values > 0
// FLAT when every level lies within the tolerance of the first; else the contrast with the largest
// |z| when Holm over the k contrasts rejects it at `level`; else UNDECIDED. Errors: fewer than 2 or
// more than 256 levels, incomplete rounds or more than 512, a value that is not positive.
Result<SweepResult> analyse_sweep(std::span<const double> y, std::size_t levels,
                                  double tolerance = 0.02, double level = 0.01);

}  // namespace assay::verdict
