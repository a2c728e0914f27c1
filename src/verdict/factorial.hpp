// SPDX-License-Identifier: Apache-2.0
// Which of k switches matter, and do they interact? Every round runs all 2^k combinations once in
// random order; product contrasts of the logs inside a round cancel whatever the round has in
// common. Ref: Box, Hunter and Hunter, Statistics for Experimenters, ch. 5.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/result.hpp"

namespace assay::verdict {

inline constexpr std::size_t kMaxCells = 1024;  // 2^10
inline constexpr std::size_t kMaxRounds = 512;

// One main effect or interaction, log units: the mean of the cells where an even number of its
// factors is off, minus the mean of the others.
struct Effect {
  std::uint32_t factors = 0;     // bit i: factor i belongs to the product
  double estimate = 0;           // log ratio; exp(estimate) = ratio of + cells to - cells
  std::optional<double> lo, hi;  // at 1 - level / (number of effects); nothing for too few rounds
  double p = 1;                  // exact signed-rank test
  double p_holm = 1;             // over all main effects and interactions
  bool active = false;           // p_holm <= level
};

// y   row-major, rounds x cells; bit i of a cell's index is the level of factor i; values > 0
// All 2^k - 1 effects in the order of `factors`. Errors: cells not a power of two in 2..1024,
// rounds not complete or beyond 512, a value that is not positive.
Result<std::vector<Effect>> analyse_factorial(std::span<const double> y, std::size_t cells,
                                              double level = 0.01);

}  // namespace assay::verdict
