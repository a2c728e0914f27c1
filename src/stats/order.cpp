// SPDX-License-Identifier: Apache-2.0
#include "stats/order.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"

namespace assay::stats {

std::vector<double> sorted(std::span<const double> values) {
  std::vector<double> copy(values.begin(), values.end());
  std::sort(copy.begin(), copy.end());
  return copy;
}

std::optional<double> median_of_sorted(std::span<const double> ascending) {
  const std::size_t n = ascending.size();
  if (n == 0) return std::nullopt;
  return n % 2 == 1 ? ascending[n / 2] : 0.5 * (ascending[n / 2 - 1] + ascending[n / 2]);
}

std::optional<double> median_in_place(std::span<double> values) {
  if (values.empty()) return std::nullopt;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return 0.5 * (*std::max_element(values.begin(), middle) + *middle);
}

std::optional<double> median(std::span<const double> values) {
  std::vector<double> copy(values.begin(), values.end());
  return median_in_place(copy);
}

std::optional<double> quantile_of_sorted(std::span<const double> ascending, double q) {
  ASSAY_CHECK(q > 0 && q <= 1, "a quantile of a sample is asked for q in (0, 1]");
  if (ascending.empty()) return std::nullopt;
  // The slack keeps 0.9 of 10 values at 9: 0.9 * 10 may come out as 9.000000000000002.
  const double rank = std::ceil(q * static_cast<double>(ascending.size()) * (1 - 1e-12));
  return ascending[std::clamp<std::size_t>(static_cast<std::size_t>(rank), 1, ascending.size()) -
                   1];
}

void append_pair_differences(std::span<const double> values, std::vector<double>& out) {
  for (std::size_t i = 0; i < values.size(); ++i)
    for (std::size_t j = i + 1; j < values.size(); ++j)
      out.push_back(std::fabs(values[i] - values[j]));
}

std::optional<double> median_pair_difference(std::span<const double> values) {
  std::vector<double> differences;
  differences.reserve(values.size() * values.size() / 2);
  append_pair_differences(values, differences);
  return median_in_place(differences);
}

}  // namespace assay::stats
