// SPDX-License-Identifier: Apache-2.0
#include "verdict/steps.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"
#include "stats/distributions.hpp"
#include "stats/rank_contrasts.hpp"
#include "stats/signed_rank.hpp"
#include "verdict/sweep.hpp"

namespace assay::verdict {
namespace {

constexpr double kIntervals = 0.05;

struct Part {
  std::size_t begin = 0, end = 0;
  std::size_t size() const { return end - begin; }
};

class Matrix {
 public:
  Matrix(std::span<const double> logs, std::size_t subjects)
      : logs_(logs), subjects_(subjects), rounds_(logs.size() / subjects) {}

  std::size_t rounds() const { return rounds_; }
  std::size_t subjects() const { return subjects_; }

  // Sums over the rounds of the ranks inside the part.
  std::vector<double> rank_sums(Part part) const {
    std::vector<double> sums(part.size(), 0.0);
    for (std::size_t r = 0; r < rounds_; ++r) {
      const auto ranks = stats::midranks(logs_.subspan(r * subjects_ + part.begin, part.size()));
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += ranks[i];
    }
    return sums;
  }

  double mean(std::size_t round, Part part) const {
    double sum = 0;
    for (std::size_t i = part.begin; i < part.end; ++i) sum += logs_[round * subjects_ + i];
    return sum / static_cast<double>(part.size());
  }

 private:
  std::span<const double> logs_;
  std::size_t subjects_, rounds_;
};

// z of "the ranks of `in` of `size` subjects sum to `sum`", against the others of the part.
double stretch_z(double sum, double total, std::size_t in, std::size_t size, std::size_t rounds) {
  const auto n = static_cast<double>(in), k = static_cast<double>(size);
  const double contrast = sum / n - (total - sum) / (k - n);
  const double variance = static_cast<double>(rounds) * k * (k + 1) / 12 * (1 / n + 1 / (k - n));
  return contrast / std::sqrt(variance);
}

// The stretch [from, to) of the part that stands out most, when it does; else an empty one.
Part find_stretch(const Matrix& matrix, Part part, double level) {
  const std::size_t k = part.size();
  if (k < 2) return {};
  const auto sums = matrix.rank_sums(part);
  double total = 0;
  for (const double sum : sums) total += sum;
  Part best;
  double best_z = 0;
  std::size_t tests = 0;
  for (std::size_t from = 0; from < k; ++from) {
    double sum = 0;
    for (std::size_t to = from + 1; to <= k; ++to) {
      sum += sums[to - 1];
      if (from == 0 && to == k) continue;
      if (to < k) ++tests;  // one that reaches the end asks what the part in front of it asks
      const double z = std::fabs(stretch_z(sum, total, to - from, k, matrix.rounds()));
      if (z > best_z) best_z = z, best = {part.begin + from, part.begin + to};
    }
  }
  const double p = stats::normal_two_sided(best_z) * static_cast<double>(tests);
  return p <= level ? best : Part{};
}

void cut(const Matrix& matrix, Part part, double level, std::vector<std::size_t>& cuts) {
  const Part stretch = find_stretch(matrix, part, level);
  if (stretch.size() == 0) return;
  std::vector<std::size_t> edges = {part.begin};
  for (const std::size_t edge : {stretch.begin, stretch.end})
    if (edge > part.begin && edge < part.end) edges.push_back(edge), cuts.push_back(edge);
  edges.push_back(part.end);
  for (std::size_t i = 0; i + 1 < edges.size(); ++i)
    cut(matrix, {edges[i], edges[i + 1]}, level, cuts);
}

// How clearly the parts on both sides of a cut differ, on their own ranks.
double boundary_p(const Matrix& matrix, Part front, Part back) {
  const Part both{front.begin, back.end};
  const auto sums = matrix.rank_sums(both);
  double total = 0, sum = 0;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    total += sums[i];
    if (i >= front.size()) sum += sums[i];
  }
  return stats::normal_two_sided(stretch_z(sum, total, back.size(), both.size(), matrix.rounds()));
}

std::vector<Part> parts_of(const std::vector<std::size_t>& cuts, std::size_t subjects) {
  std::vector<Part> parts;
  std::size_t begin = 0;
  for (const std::size_t at : cuts) parts.push_back({begin, at}), begin = at;
  parts.push_back({begin, subjects});
  return parts;
}

// Takes away, the weakest first, cuts that do not hold between their own two sides.
void prune(const Matrix& matrix, double level, std::vector<std::size_t>& cuts) {
  while (!cuts.empty()) {
    const auto parts = parts_of(cuts, matrix.subjects());
    std::size_t weakest = 0;
    double worst = -1;
    for (std::size_t c = 0; c < cuts.size(); ++c) {
      const double p = boundary_p(matrix, parts[c], parts[c + 1]);
      if (p > worst) worst = p, weakest = c;
    }
    if (worst <= level) return;
    cuts.erase(cuts.begin() + static_cast<std::ptrdiff_t>(weakest));
  }
}

Estimate change_of(const Matrix& matrix, Part front, Part back) {
  std::vector<double> changes;
  for (std::size_t r = 0; r < matrix.rounds(); ++r)
    changes.push_back(matrix.mean(r, back) - matrix.mean(r, front));
  const auto found = stats::signed_rank(changes, kIntervals);
  return {found.estimate, found.lo, found.hi};
}

}  // namespace

std::vector<StepChange> find_steps(std::span<const double> logs, std::size_t subjects,
                                   double tolerance, double level) {
  ASSAY_CHECK(subjects > 0 && logs.size() % subjects == 0, "rounds are complete");
  const Matrix matrix(logs, subjects);
  if (matrix.rounds() < kMinSweepRounds || subjects < 2) return {};
  std::vector<std::size_t> cuts;
  cut(matrix, {0, subjects}, level, cuts);
  std::ranges::sort(cuts);
  prune(matrix, level, cuts);
  const auto parts = parts_of(cuts, subjects);
  std::vector<StepChange> steps;
  for (std::size_t c = 0; c < cuts.size(); ++c) {
    const Estimate effect = change_of(matrix, parts[c], parts[c + 1]);
    if (std::fabs(effect.value) >= std::log1p(tolerance)) steps.push_back({cuts[c], effect});
  }
  return steps;
}

}  // namespace assay::verdict
