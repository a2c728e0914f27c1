// SPDX-License-Identifier: Apache-2.0
#include "stats/iterations.hpp"

#include <algorithm>

#include "stats/order.hpp"

namespace assay::stats {

std::optional<double> iteration_summary(std::span<const double> iterations) {
  if (iterations.size() <= 1) return median(iterations);
  return median(iterations.subspan(std::max<std::size_t>(1, iterations.size() / 10)));
}

}  // namespace assay::stats
