// SPDX-License-Identifier: Apache-2.0
#include "stats/multiple.hpp"

#include <algorithm>
#include <numeric>

#include "base/check.hpp"

namespace assay::stats {
namespace {

std::vector<std::size_t> ascending_order(std::span<const double> p) {
  for (const double value : p) ASSAY_CHECK(value >= 0 && value <= 1, "a p-value lies in [0, 1]");
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
  return order;
}

Adjusted with_flags(std::vector<double> p, double level) {
  Adjusted result{std::move(p), {}};
  for (const double value : result.p) result.reject.push_back(value <= level);
  return result;
}

}  // namespace

Adjusted holm(std::span<const double> p, double level) {
  const auto order = ascending_order(p);
  std::vector<double> adjusted(p.size());
  double running = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const double factor = static_cast<double>(order.size() - k);
    running = std::max(running, std::min(1.0, factor * p[order[k]]));
    adjusted[order[k]] = running;
  }
  return with_flags(std::move(adjusted), level);
}

Adjusted benjamini_hochberg(std::span<const double> p, double level) {
  const auto order = ascending_order(p);
  std::vector<double> adjusted(p.size());
  double running = 1;
  for (std::size_t k = order.size(); k-- > 0;) {
    const double m = static_cast<double>(order.size());
    running = std::min(running, p[order[k]] * m / static_cast<double>(k + 1));
    adjusted[order[k]] = running;
  }
  return with_flags(std::move(adjusted), level);
}

}  // namespace assay::stats
