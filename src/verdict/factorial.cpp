// SPDX-License-Identifier: Apache-2.0
#include "verdict/factorial.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "stats/multiple.hpp"
#include "stats/signed_rank.hpp"
#include "verdict/logs.hpp"

namespace assay::verdict {
namespace {

// In place: x[s] becomes the sum over c of x[c] (-1)^(number of factors common to s and c).
void walsh_hadamard(std::span<double> x) {
  for (std::size_t half = 1; half < x.size(); half *= 2) {
    for (std::size_t start = 0; start < x.size(); start += 2 * half) {
      for (std::size_t i = start; i < start + half; ++i) {
        const double low = x[i], high = x[i + half];
        x[i] = low + high;
        x[i + half] = low - high;
      }
    }
  }
}

}  // namespace

Result<std::vector<Effect>> analyse_factorial(std::span<const double> y, std::size_t cells,
                                              double level) {
  if (cells < 2 || cells > kMaxCells || !std::has_single_bit(cells))
    return fail(fmt::format("{} cells are not all combinations of 1 to 10 switches", cells), "",
                "give 2, 4, 8, ... 1024 cells a round");
  if (y.size() / cells > kMaxRounds)
    return fail(fmt::format("{} rounds, at most {} are analysed", y.size() / cells, kMaxRounds));
  auto logs = log_matrix(y, cells);
  if (!logs) return fail(logs.error());
  const std::size_t rounds = logs->size() / cells;
  for (std::size_t r = 0; r < rounds; ++r)
    walsh_hadamard(std::span(*logs).subspan(r * cells, cells));

  const auto null = stats::signed_rank_count(rounds);
  const double effects = static_cast<double>(cells - 1);
  std::vector<Effect> result;
  std::vector<double> p, contrast(rounds);
  for (std::size_t s = 1; s < cells; ++s) {
    // An odd number of factors: + is "on", so the transform's sign turns.
    const double sign = std::popcount(s) % 2 == 1 ? -1 : 1;
    for (std::size_t r = 0; r < rounds; ++r)
      contrast[r] = sign * (*logs)[r * cells + s] / (static_cast<double>(cells) / 2);
    const auto found = stats::signed_rank(contrast, level / effects, null);
    result.push_back({static_cast<std::uint32_t>(s), found.estimate, found.lo, found.hi, found.p});
    p.push_back(found.p);
  }
  const auto adjusted = stats::holm(p, level);
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i].p_holm = adjusted.p[i];
    result[i].active = adjusted.reject[i];
  }
  return result;
}

}  // namespace assay::verdict
