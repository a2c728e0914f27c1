// SPDX-License-Identifier: Apache-2.0
#include "verdict/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/check.hpp"
#include "stats/distributions.hpp"
#include "stats/multiple.hpp"
#include "stats/rank_contrasts.hpp"
#include "stats/signed_rank.hpp"
#include "stats/ties.hpp"
#include "verdict/logs.hpp"

namespace assay::verdict {
namespace {

constexpr double kFlatLevel = 0.05;  // of the intervals, shared by the k - 1 levels

std::vector<LevelEffect> effects_against_first(std::span<const double> logs, std::size_t levels) {
  const std::size_t rounds = logs.size() / levels;
  const auto null = stats::signed_rank_count(rounds);
  std::vector<LevelEffect> effects = {{0, 0.0, 0.0}};
  std::vector<double> differences(rounds);
  for (std::size_t l = 1; l < levels; ++l) {
    for (std::size_t r = 0; r < rounds; ++r)
      differences[r] = logs[r * levels + l] - logs[r * levels];
    const auto found =
        stats::signed_rank(differences, kFlatLevel / static_cast<double>(levels - 1), null);
    effects.push_back({found.estimate, found.lo, found.hi});
  }
  return effects;
}

}  // namespace

Result<SweepResult> analyse_sweep(std::span<const double> y, std::size_t levels, double tolerance,
                                  double level) {
  ASSAY_CHECK(tolerance > 0, "the tolerance is positive");
  if (levels < 2 || levels > kMaxLevels)
    return fail(fmt::format("a sweep has 2 to {} levels, not {}", kMaxLevels, levels));
  if (y.size() / levels > kMaxSweepRounds)
    return fail(
        fmt::format("{} rounds, at most {} are analysed", y.size() / levels, kMaxSweepRounds));
  const auto logs = log_matrix(y, levels);
  if (!logs) return fail(logs.error());

  SweepResult result;
  const auto contrasts = stats::sweep_contrasts(levels);
  result.z = stats::rank_contrast_z(*logs, levels, contrasts);
  std::vector<double> p;
  for (const double z : result.z) p.push_back(stats::normal_two_sided(z));
  const auto adjusted = stats::holm(p, level);
  result.p_holm = adjusted.p;
  result.levels = effects_against_first(*logs, levels);

  const double edge = std::log1p(tolerance) + stats::kTie;
  const bool flat = std::all_of(
      result.levels.begin(), result.levels.end(),
      [&](const LevelEffect& e) { return e.lo && e.hi && *e.hi <= edge && *e.lo >= -edge; });
  const auto largest = std::max_element(result.z.begin(), result.z.end(), [](double a, double b) {
    return std::fabs(a) < std::fabs(b);
  });
  const auto best = static_cast<std::size_t>(largest - result.z.begin());
  if (flat)
    result.shape = Shape::flat;
  else if (adjusted.reject[best])
    result.shape = best == 0 ? Shape::trend : Shape::step;
  if (result.shape == Shape::step) result.at = best;
  return result;
}

}  // namespace assay::verdict
