// SPDX-License-Identifier: Apache-2.0
#include "verdict/tails.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/check.hpp"
#include "stats/order.hpp"

namespace assay::verdict {

void TailCount::add_block(std::span<const double> a, std::span<const double> b) {
  ASSAY_CHECK(a.size() == 6 && b.size() == 6, "a block is 6 + 6 runs");
  std::array<double, 12> block;
  std::copy(b.begin(), b.end(), std::copy(a.begin(), a.end(), block.begin()));
  const double cut = 1.2 * *stats::median_in_place(block);
  const auto is_slow = [cut](double x) { return x > cut; };
  const auto slow_b = static_cast<double>(std::count_if(b.begin(), b.end(), is_slow));
  const double slow = slow_b + static_cast<double>(std::count_if(a.begin(), a.end(), is_slow));
  excess_ += slow_b - slow / 2;
  variance_ += slow * (12 - slow) / 44.0;
  slow_ += slow;
}

std::optional<double> TailCount::z() const {
  if (slow_ < 8 || variance_ == 0) return std::nullopt;
  return excess_ / std::sqrt(variance_);
}

}  // namespace assay::verdict
