// SPDX-License-Identifier: Apache-2.0
#include "verdict/step_posterior.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "base/check.hpp"
#include "stats/distributions.hpp"
#include "stats/order.hpp"
#include "stats/sums.hpp"

namespace assay::verdict {
namespace {

constexpr double kToSigma = 1.4826;   // of a median absolute deviation
constexpr double kCut = 3.5;          // sigma outside of a level
constexpr double kMostLeftOut = 0.1;  // of the runs
constexpr double kLeastSigma = 1e-6;  // counters do not vary at all
constexpr double kWidestEffect = 8;   // sigma: width of the effects that are likely beforehand

// Runs as they lie on the path.
struct Cell {
  double count = 0, sum = 0;
};

// Deviations from the median of their own position, as large as those from its mean would be.
double robust_sigma(std::span<const std::vector<double>> by_position) {
  std::vector<double> deviations;
  for (const std::vector<double>& values : by_position) {
    if (values.size() < 2) continue;
    const double middle = *stats::median(values);
    const auto k = static_cast<double>(values.size());
    // Of two runs both deviations are the same number: it counts once.
    const std::size_t counted = values.size() == 2 ? 1 : values.size();
    for (std::size_t i = 0; i < counted; ++i)
      deviations.push_back(std::fabs(values[i] - middle) * std::sqrt(k / (k - 1)));
  }
  return kToSigma * stats::median_in_place(deviations).value_or(0);
}

double entropy(double q) {
  if (q <= 0 || q >= 1) return 0;
  return -(q * std::log2(q) + (1 - q) * std::log2(1 - q));
}

std::vector<double> clipped(std::span<const double> values) {
  std::vector<double> all(values.begin(), values.end());
  const double middle = *stats::median(all);
  std::vector<double> deviations;
  for (const double value : all) deviations.push_back(std::fabs(value - middle));
  const double reach = kCut * kToSigma * *stats::median_in_place(deviations);
  if (reach > 0)
    for (double& value : all) value = std::clamp(value, middle - reach, middle + reach);
  return all;
}

}  // namespace

std::vector<double> StepPosterior::behind() const {
  std::vector<double> sums(probability.size());
  std::partial_sum(probability.begin(), probability.end(), sums.begin());
  return sums;
}

std::vector<bool> runs_that_count(std::span<const StepRun> runs, std::size_t positions) {
  std::vector<bool> counts(runs.size(), true);
  std::vector<std::vector<double>> by_position(positions);
  for (const StepRun& run : runs) by_position[run.position].push_back(run.value);
  const auto good = stats::median(by_position.front());
  const auto bad = stats::median(by_position.back());
  if (!good || !bad) return counts;
  const double low = std::min(*good, *bad), high = std::max(*good, *bad);
  const auto outside = [&](const StepRun& run) {
    return std::max({low - run.value, run.value - high, 0.0});
  };
  std::vector<double> distances;
  distances.reserve(runs.size());
  for (const StepRun& run : runs) distances.push_back(outside(run));
  const auto kept = static_cast<std::size_t>(
      std::ceil((1 - kMostLeftOut) * static_cast<double>(distances.size())));
  std::nth_element(distances.begin(), distances.begin() + static_cast<std::ptrdiff_t>(kept) - 1,
                   distances.end());
  const double cut =
      std::max({kCut * robust_sigma(by_position), distances[kept - 1], kCut * kLeastSigma});
  for (std::size_t i = 0; i < runs.size(); ++i) counts[i] = outside(runs[i]) <= cut;
  return counts;
}

StepPosterior step_posterior(std::span<const StepRun> runs, std::size_t positions,
                             std::span<const double> weights) {
  ASSAY_CHECK(positions >= 2 && weights.size() == positions, "a path has two ends");
  const std::vector<bool> counts = runs_that_count(runs, positions);
  StepPosterior found;
  std::vector<double> kept;
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (counts[i]) kept.push_back(runs[i].value);
  found.left_out = runs.size() - kept.size();
  const auto n = static_cast<double>(kept.size());
  ASSAY_CHECK(kept.size() >= 4, "both ends have been measured twice");

  // Around the mean of all: sums of squares then lose nothing.
  const double centre = *stats::mean(kept);
  std::vector<Cell> cells(positions);
  double total = 0, squares = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!counts[i]) continue;
    const double value = runs[i].value - centre;
    cells[runs[i].position].count += 1;
    cells[runs[i].position].sum += value;
    total += value;
    squares += value * value;
  }
  const double least = n * kLeastSigma * kLeastSigma;
  ASSAY_CHECK(cells.front().count > 0 && cells.back().count > 0, "both ends have runs that count");

  // Log marginal likelihoods; the likelihood changes only where there are runs.
  std::vector<double> log_weight(positions, 0);
  double left_count = 0, left_sum = 0, likelihood = 0, effect = 0, rss = 0;
  double best = -INFINITY;
  for (std::size_t b = 1; b < positions; ++b) {
    const Cell& cell = cells[b - 1];
    if (cell.count > 0) {
      left_count += cell.count;
      left_sum += cell.sum;
      const double right_count = n - left_count, right_sum = total - left_sum;
      rss = std::max(
          least, squares - left_sum * left_sum / left_count - right_sum * right_sum / right_count);
      likelihood = -0.5 * std::log(left_count * right_count) - 0.5 * (n - 2) * std::log(rss);
      effect = right_sum / right_count - left_sum / left_count;
    }
    log_weight[b] = likelihood + std::log(weights[b]);
    if (log_weight[b] > best) {
      best = log_weight[b];
      found.likeliest = static_cast<std::uint32_t>(b);
      found.effect = effect;
      found.sigma = std::sqrt(rss / (n - 2));
    }
  }

  double all = 0, weight_of_all = 0;
  found.probability.assign(positions, 0);
  for (std::size_t b = 1; b < positions; ++b) {
    found.probability[b] = std::exp(log_weight[b] - best);
    all += found.probability[b];
    weight_of_all += weights[b];
  }
  // Gamma((n - 1) / 2) / Gamma((n - 2) / 2) = sqrt((n - 2) / 2 - 1 / 4) to three digits.
  const double rss_none = std::max(least, squares - total * total / n);
  const double log_none = -0.5 * std::log(n) - 0.5 * (n - 1) * std::log(rss_none) +
                          0.5 * std::log(0.5 * (n - 2) - 0.25) - 0.5 * std::log(std::numbers::pi) +
                          std::log(kWidestEffect * found.sigma);
  const double none = weight_of_all * std::exp(std::min(700.0, log_none - best));
  all += none;
  for (double& p : found.probability) p /= all;
  found.none = none / all;
  return found;
}

EndsTest test_ends(std::span<const double> good, std::span<const double> bad) {
  EndsTest test;
  if (good.size() < 2 || bad.size() < 2) return test;
  const std::vector<double> a = clipped(good), b = clipped(bad);
  const auto na = static_cast<double>(a.size()), nb = static_cast<double>(b.size());
  test.df = a.size() + b.size() - 2;
  const double pooled = (*stats::variance(a) * (na - 1) + *stats::variance(b) * (nb - 1)) /
                        static_cast<double>(test.df);
  test.effect = *stats::mean(b) - *stats::mean(a);
  test.sigma = std::sqrt(std::max(pooled, kLeastSigma * kLeastSigma));
  test.error = test.sigma * std::sqrt(1 / na + 1 / nb);
  test.t = test.effect / test.error;
  return test;
}

std::optional<EndsInterval> interval_of(const EndsTest& test, double confidence) {
  if (test.df == 0) return std::nullopt;
  const double reach =
      test.error * stats::t_quantile(0.5 + confidence / 2, static_cast<double>(test.df));
  return EndsInterval{test.effect - reach, test.effect + reach};
}

// The mean of the runs is normal with its centre at 0 or at d sqrt(runs): Simpson's rule over the
// density of both.
double information_of_runs(double q, double d, std::uint32_t runs) {
  if (q <= 0 || q >= 1 || runs == 0) return 0;
  const double distance = std::min(std::fabs(d) * std::sqrt(static_cast<double>(runs)), 20.0);
  constexpr int kSteps = 96;
  const double from = -6, step = (12 + distance) / kSteps;
  double left = 0;  // entropy that is left
  for (int i = 0; i <= kSteps; ++i) {
    const double x = from + step * i;
    const double bad = q * std::exp(-0.5 * (x - distance) * (x - distance));
    const double good = (1 - q) * std::exp(-0.5 * x * x);
    const double density = bad + good;
    if (density <= 0) continue;
    const double weight = i == 0 || i == kSteps ? 1 : i % 2 == 1 ? 4 : 2;
    left += weight * density * entropy(bad / density);
  }
  left *= step / 3 / std::sqrt(2 * std::numbers::pi);
  return std::max(0.0, entropy(q) - left);
}

}  // namespace assay::verdict
