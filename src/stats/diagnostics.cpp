// SPDX-License-Identifier: Apache-2.0
#include "stats/diagnostics.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"
#include "stats/distributions.hpp"
#include "stats/order.hpp"
#include "stats/rank_contrasts.hpp"
#include "stats/ties.hpp"

namespace assay::stats {
namespace {

constexpr double kAlarm = 0.001;        // two-sided p of drift and position
constexpr double kModesAlarm = 0.0002;  // nominal, for an even density
constexpr double kFar = 6;              // robust standard deviations
constexpr std::size_t kMaxDriftPoints = 400;

// At most kMaxDriftPoints values: medians of equally long stretches of `values`.
std::vector<double> thinned(std::span<const double> values) {
  const std::size_t stretch = (values.size() + kMaxDriftPoints - 1) / kMaxDriftPoints;
  std::vector<double> points;
  for (std::size_t start = 0; start < values.size(); start += stretch)
    points.push_back(*median(values.subspan(start, std::min(stretch, values.size() - start))));
  return points;
}

// Sum of f(t) over the groups of t equal values, for the tie correction of Kendall's variance.
double tie_term(std::span<const double> values) {
  const auto ascending = sorted(values);
  double total = 0;
  for (std::size_t i = 0; i < ascending.size();) {
    std::size_t j = i + 1;
    while (j < ascending.size() && ascending[j] - ascending[i] <= kTie) ++j;
    const double t = static_cast<double>(j - i);
    total += t * (t - 1) * (2 * t + 5);
    i = j;
  }
  return total;
}

// Width of the middle half of the values.
double middle_half(std::span<const double> ascending) {
  return *quantile_of_sorted(ascending, 0.75) - *quantile_of_sorted(ascending, 0.25);
}

}  // namespace

std::vector<double> within_side_residuals(std::span<const double> logs,
                                          std::span<const std::uint32_t> sides, std::size_t slots) {
  ASSAY_CHECK(logs.size() == sides.size(), "one side a value");
  ASSAY_CHECK(slots >= 1 && logs.size() % slots == 0, "complete blocks");
  std::vector<double> residuals(logs.size());
  std::vector<double> own;
  for (std::size_t start = 0; start < logs.size(); start += slots) {
    for (std::size_t i = start; i < start + slots; ++i) {
      own.clear();
      for (std::size_t j = start; j < start + slots; ++j)
        if (sides[j] == sides[i]) own.push_back(logs[j]);
      residuals[i] = logs[i] - *median_in_place(own);
    }
  }
  return residuals;
}

std::optional<Drift> find_drift(std::span<const double> block_medians) {
  if (block_medians.size() < 8) return std::nullopt;
  const auto points = thinned(block_medians);
  const double k = static_cast<double>(points.size());
  double concordant = 0;  // minus discordant
  std::vector<double> slopes;
  slopes.reserve(points.size() * points.size() / 2);
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = i + 1; j < points.size(); ++j) {
      const double rise = points[j] - points[i];
      concordant += rise > kTie ? 1 : rise < -kTie ? -1 : 0;
      slopes.push_back(rise / static_cast<double>(j - i));
    }
  }
  Drift drift;
  drift.change = *median_in_place(slopes) * (k - 1);
  const double variance = (k * (k - 1) * (2 * k + 5) - tie_term(points)) / 18;
  if (variance > 0)
    drift.p = normal_two_sided(std::max(0.0, std::fabs(concordant) - 1) / std::sqrt(variance));
  drift.alarm = drift.p < kAlarm;
  return drift;
}

std::optional<PositionEffect> find_position_effect(std::span<const double> residuals,
                                                   std::size_t slots) {
  ASSAY_CHECK(slots >= 2 && residuals.size() % slots == 0, "complete blocks of two runs or more");
  const std::size_t blocks = residuals.size() / slots;
  if (blocks < 5) return std::nullopt;
  const double middle = 0.5 * static_cast<double>(slots + 1);
  std::vector<double> sums(slots, 0.0);  // of the ranks, centred
  double spread = 0;                     // of all ranks about the middle
  for (std::size_t b = 0; b < blocks; ++b) {
    const auto ranks = midranks(residuals.subspan(b * slots, slots));
    for (std::size_t s = 0; s < slots; ++s) {
      sums[s] += ranks[s] - middle;
      spread += (ranks[s] - middle) * (ranks[s] - middle);
    }
  }
  PositionEffect effect;
  double between = 0;
  for (std::size_t s = 0; s < slots; ++s) {
    between += sums[s] * sums[s];
    if (std::fabs(sums[s]) > std::fabs(sums[effect.slot])) effect.slot = s;
  }
  const double freedom = static_cast<double>(slots - 1);
  if (spread > 0) effect.p = chi_squared_upper(freedom * between / spread, freedom);
  std::vector<double> there;
  for (std::size_t b = 0; b < blocks; ++b) there.push_back(residuals[b * slots + effect.slot]);
  effect.shift = *median_in_place(there);
  effect.alarm = effect.p < kAlarm;
  return effect;
}

std::optional<TwoModes> find_two_modes(std::span<const double> ascending) {
  const std::size_t n = ascending.size();
  if (n < 18) return std::nullopt;
  const std::size_t first = n * 15 / 100, last = n - 1 - first;
  const std::size_t spacings = last - first;
  std::size_t widest = first, different = 1;
  for (std::size_t i = first; i < last; ++i) {
    const double gap = ascending[i + 1] - ascending[i];
    if (gap > kTie) ++different;
    if (gap > ascending[widest + 1] - ascending[widest]) widest = i;
  }
  if (2 * different < spacings + 1) return std::nullopt;
  TwoModes modes;
  modes.low = ascending[widest];
  modes.high = ascending[widest + 1];
  modes.gap = modes.high - modes.low;
  modes.share_high = static_cast<double>(n - 1 - widest) / static_cast<double>(n);
  // The widest of m spacings that cut a length 1 at random exceeds t with probability <= m
  // (1-t)^(m-1).
  const double m = static_cast<double>(spacings);
  const double limit = 1 - std::pow(kModesAlarm / m, 1 / (m - 1));
  modes.alarm = modes.gap > limit * (ascending[last] - ascending[first]) &&
                modes.gap > middle_half(ascending.first(widest + 1)) &&
                modes.gap > middle_half(ascending.subspan(widest + 1));
  return modes;
}

std::optional<Outliers> find_outliers(std::span<const double> ascending) {
  if (ascending.size() < 18) return std::nullopt;
  const double center = *median_of_sorted(ascending);
  std::vector<double> distances;
  distances.reserve(ascending.size());
  for (const double x : ascending) distances.push_back(std::fabs(x - center));
  const double scale = 1.4826 * *median_in_place(distances);  // = sigma for normal values
  if (scale <= kTie) return std::nullopt;
  Outliers outliers;
  for (const double x : ascending) {
    if (x < center - kFar * scale) ++outliers.low;
    if (x > center + kFar * scale) ++outliers.high;
  }
  const double below = ascending.front() - center, above = ascending.back() - center;
  outliers.largest = above >= -below ? above : below;
  outliers.alarm = outliers.low + outliers.high > 0;
  return outliers;
}

}  // namespace assay::stats
