// SPDX-License-Identifier: Apache-2.0
#include "stats/rank_contrasts.hpp"

#include <cmath>
#include <numeric>

#include "base/check.hpp"
#include "stats/ties.hpp"

namespace assay::stats {

std::vector<double> midranks(std::span<const double> values) {
  std::vector<double> ranks;
  ranks.reserve(values.size());
  for (const double x : values) {
    double below = 0, equal = 0;  // equal counts x itself
    for (const double y : values) {
      if (y < x - kTie)
        below += 1;
      else if (std::fabs(y - x) <= kTie)
        equal += 1;
    }
    ranks.push_back(below + 0.5 * (equal + 1));
  }
  return ranks;
}

std::vector<std::vector<double>> sweep_contrasts(std::size_t levels) {
  ASSAY_CHECK(levels >= 2, "a sweep has at least two levels");
  const double k = static_cast<double>(levels);
  std::vector<std::vector<double>> contrasts(levels, std::vector<double>(levels));
  for (std::size_t l = 0; l < levels; ++l) {
    contrasts[0][l] = static_cast<double>(l) - (k - 1) / 2;
    for (std::size_t j = 1; j < levels; ++j) {
      const double before = static_cast<double>(j);
      contrasts[j][l] = l < j ? -1 / before : 1 / (k - before);
    }
  }
  return contrasts;
}

std::vector<double> rank_contrast_z(std::span<const double> rounds, std::size_t levels,
                                    std::span<const std::vector<double>> contrasts) {
  ASSAY_CHECK(levels >= 2 && !rounds.empty() && rounds.size() % levels == 0, "complete rounds");
  std::vector<double> sums(levels, 0.0);
  for (std::size_t start = 0; start < rounds.size(); start += levels) {
    const auto ranks = midranks(rounds.subspan(start, levels));
    for (std::size_t l = 0; l < levels; ++l) sums[l] += ranks[l];
  }
  const double k = static_cast<double>(levels);
  const std::size_t round_count = rounds.size() / levels;
  const double rank_variance = static_cast<double>(round_count) * k * (k + 1) / 12;
  std::vector<double> z;
  for (const auto& c : contrasts) {
    ASSAY_CHECK(c.size() == levels, "one weight a level");
    const double square = std::inner_product(c.begin(), c.end(), c.begin(), 0.0);
    const double value = std::inner_product(c.begin(), c.end(), sums.begin(), 0.0);
    z.push_back(value / std::sqrt(rank_variance * square));
  }
  return z;
}

}  // namespace assay::stats
