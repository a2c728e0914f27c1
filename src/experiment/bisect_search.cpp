// SPDX-License-Identifier: Apache-2.0
#include "experiment/bisect_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace assay::experiment {
namespace {

constexpr std::array<std::uint32_t, 3> kBatches = {1, 2, 4};
constexpr double kRefuted = 0.02;  // what a contrary comparison leaves of a weight
constexpr double kLeastStrength = 0.2, kMostStrength = 12;
constexpr double kSearchLoss = 1.3;  // runs made per run that a perfect search needs, simulated

// What a position says of itself; the search needs bits, so the ends of the scale are worth
// nothing.
double distance_from_half(double q) { return std::fabs(q - 0.5); }

}  // namespace

void LineSearch::update(const ArmRuns& runs) {
  std::vector<verdict::StepRun> all;
  for (std::size_t p = 0; p < size(); ++p)
    for (const double value : runs.logs(path_.commits[p]))
      all.push_back({static_cast<std::uint32_t>(p), value});
  posterior_ = verdict::step_posterior(all, size(), path_.weights);
  behind_ = posterior_.behind();
  likeliest_ = {};
  for (std::size_t last = 1, first = 1; last < size(); ++last) {
    if (last + 1 < size() && runs.is_broken(path_.commits[last])) continue;
    const double probability = behind_[last] - behind_[first - 1];
    if (probability > likeliest_.probability) likeliest_ = {first, last, probability};
    first = last + 1;
  }
}

std::vector<std::size_t> LineSearch::smallest_set() const {
  std::vector<std::size_t> order(size() - 1);
  std::iota(order.begin(), order.end(), std::size_t{1});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return posterior_.probability[a] > posterior_.probability[b];
  });
  double sum = 0;
  std::size_t count = 0;
  while (count < order.size() && sum < kNamed) sum += posterior_.probability[order[count++]];
  order.resize(count);
  std::ranges::sort(order);
  return order;
}

double LineSearch::strength() const {
  if (posterior_.sigma <= 0) return kMostStrength;
  return std::clamp(std::fabs(posterior_.effect) / posterior_.sigma, kLeastStrength, kMostStrength);
}

// The information of a run is concave in q and symmetric about a half: among commits of one price
// the one nearest to a half is the best.
std::optional<RunChoice> LineSearch::choose(const ArmRuns& runs, const RunPrice& price) const {
  const double change = std::max(1e-12, 1 - posterior_.none);
  std::optional<std::size_t> nearest[2];  // [1]: has been built and run
  for (std::size_t p = 1; p + 1 < size(); ++p) {
    const std::uint32_t arm = path_.commits[p];
    if (runs.is_broken(arm)) continue;
    auto& best = nearest[runs.is_warm(arm) ? 1 : 0];
    if (!best ||
        distance_from_half(behind_[p] / change) < distance_from_half(behind_[*best] / change))
      best = p;
  }
  std::optional<RunChoice> chosen;
  double most = -1;
  for (const bool warm : {false, true}) {
    const auto& position = nearest[warm ? 1 : 0];
    if (!position) continue;
    const double q = behind_[*position] / change;
    const double once = warm ? 0 : price.build_s + (price.warms_up ? price.run_s : 0);
    for (const std::uint32_t batch : kBatches) {
      const double bits = verdict::information_of_runs(q, strength(), batch);
      const double worth = bits / std::max(1e-9, once + batch * price.run_s);
      if (worth > most) {
        most = worth;
        chosen = RunChoice{*position, batch};
      }
    }
  }
  return chosen;
}

std::uint32_t LineSearch::runs_to_name() const {
  double bits = 0;
  for (const double p : posterior_.probability)
    if (p > 0) bits -= p * std::log2(p);
  if (posterior_.none > 0) bits -= posterior_.none * std::log2(posterior_.none);
  const double each = verdict::information_of_runs(0.5, strength(), 1);
  const double runs = kSearchLoss * bits / std::max(1e-3, each);
  return static_cast<std::uint32_t>(std::ceil(std::min(1e6, std::max(1.0, runs))));
}

void LineSearch::doubt(const CommitGroup& group) {
  for (std::size_t p = group.first; p <= group.last; ++p) path_.weights[p] *= kRefuted;
}

verdict::EndsTest LineSearch::sides_of(std::size_t at, const ArmRuns& runs) const {
  std::vector<double> before, after;
  for (std::size_t p = 0; p < size(); ++p) {
    const auto values = runs.logs(path_.commits[p]);
    auto& side = p < at ? before : after;
    side.insert(side.end(), values.begin(), values.end());
  }
  return verdict::test_ends(before, after);
}

}  // namespace assay::experiment
