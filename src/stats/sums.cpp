// SPDX-License-Identifier: Apache-2.0
#include "stats/sums.hpp"

#include <cmath>

namespace assay::stats {
namespace {

class Accumulator {
 public:
  void add(double x) {
    const double t = sum_ + x;
    lost_ += std::fabs(sum_) >= std::fabs(x) ? (sum_ - t) + x : (x - t) + sum_;
    sum_ = t;
  }
  double total() const { return sum_ + lost_; }

 private:
  double sum_ = 0, lost_ = 0;
};

}  // namespace

double sum(std::span<const double> values) {
  Accumulator total;
  for (const double x : values) total.add(x);
  return total.total();
}

std::optional<double> mean(std::span<const double> values) {
  if (values.empty()) return std::nullopt;
  return sum(values) / static_cast<double>(values.size());
}

std::optional<double> variance(std::span<const double> values) {
  if (values.size() < 2) return std::nullopt;
  const double center = *mean(values);
  Accumulator squares;
  for (const double x : values) squares.add((x - center) * (x - center));
  return squares.total() / static_cast<double>(values.size() - 1);
}

}  // namespace assay::stats
