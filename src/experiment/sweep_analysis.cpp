// SPDX-License-Identifier: Apache-2.0
// Rounds to the finding of a sweep: shapes, levels, memory, the front of those that no other beats.
#include <algorithm>
#include <cmath>
#include <set>

#include "base/check.hpp"
#include "base/text.hpp"
#include "experiment/sweep.hpp"
#include "verdict/sweep.hpp"

namespace assay::experiment {
namespace {

constexpr double kLevel = 0.01;         // of shapes, shared by the parameters
constexpr double kIntervals = 0.05;     // of intervals, shared by the levels
constexpr std::size_t kLineLevels = 3;  // fewer are always on a line
constexpr double kKneeDistance = 0.1;   // from the chord, the front scaled to 1 x 1

// One parameter of a sweep beside the other (or beside nothing): arm = a * stride + rest.
class Axis {
 public:
  Axis(const Design& design, std::size_t parameter, const Rounds& rounds) : rounds_(rounds) {
    const auto& parameters = design.parameters;
    own_ = parameters[parameter].levels.size();
    others_ = parameters.size() == 2 ? parameters[1 - parameter].levels.size() : 1;
    own_stride_ = parameter + 1 < parameters.size() ? others_ : 1;
    other_stride_ = own_stride_ == 1 ? own_ : 1;
    const auto arms = rounds.arms();
    const std::set<std::uint32_t> runs(arms.begin(), arms.end());
    for (std::uint32_t level = 0; level < own_; ++level)
      for (std::uint32_t other = 0; other < others_; ++other)
        if (runs.contains(arm(level, other))) {
          levels_.push_back(level);
          break;
        }
    for (std::uint32_t other = 0; other < others_; ++other)
      if (std::ranges::all_of(
              levels_, [&](std::uint32_t level) { return runs.contains(arm(level, other)); }))
        complete_.push_back(other);
  }

  std::uint32_t arm(std::uint32_t level, std::uint32_t other) const {
    return static_cast<std::uint32_t>(level * own_stride_ + other * other_stride_);
  }
  const std::vector<std::uint32_t>& levels() const { return levels_; }  // with any arm that runs
  const std::vector<std::uint32_t>& complete() const { return complete_; }  // of the other

  // Mean over the complete levels of the other parameter, of one round.
  double mean(std::size_t round, std::uint32_t level) const {
    double sum = 0;
    for (const std::uint32_t other : complete_) sum += rounds_.logs(arm(level, other))[round];
    return sum / static_cast<double>(complete_.size());
  }

 private:
  const Rounds& rounds_;
  std::size_t own_ = 0, others_ = 1, own_stride_ = 1, other_stride_ = 1;
  std::vector<std::uint32_t> levels_, complete_;
};

// Levels behind `at` against those in front of it; without `at` the last against the first.
Estimate change_of(const Axis& axis, std::uint32_t rounds, std::optional<std::size_t> at) {
  const auto& levels = axis.levels();
  std::vector<double> changes;
  for (std::uint32_t r = 0; r < rounds; ++r) {
    double front = 0, back = 0;
    const std::size_t first = at.value_or(1), last = at.value_or(levels.size() - 1);
    for (std::size_t l = 0; l < first; ++l)
      front += axis.mean(r, levels[l]) / static_cast<double>(first);
    for (std::size_t l = last; l < levels.size(); ++l)
      back += axis.mean(r, levels[l]) / static_cast<double>(levels.size() - last);
    changes.push_back(back - front);
  }
  return estimate_of(changes, kIntervals);
}

// Whether every level is within the tolerance of the first at every level of the other parameter.
bool is_flat_everywhere(const Axis& axis, const Rounds& rounds, double tolerance) {
  const double edge = std::log1p(tolerance) + 1e-12;
  const auto count = (axis.levels().size() - 1) * axis.complete().size();
  for (const std::uint32_t other : axis.complete())
    for (std::size_t l = 1; l < axis.levels().size(); ++l) {
      const auto found =
          rounds.against(axis.arm(axis.levels()[l], other), axis.arm(axis.levels()[0], other),
                         kIntervals / static_cast<double>(count));
      if (!found.effect.lo || *found.effect.lo < -edge || *found.effect.hi > edge) return false;
    }
  return true;
}

ParameterFinding shape_of(const Plan& plan, const Rounds& rounds, std::uint32_t parameter) {
  ParameterFinding found{.parameter = parameter};
  const Design& design = *plan.design;
  const Axis axis(design, parameter, rounds);
  const std::size_t k = axis.levels().size();
  if (k < 2 || axis.complete().empty() || rounds.done() == 0) return found;
  found.effect = change_of(axis, rounds.done(), {});
  if (rounds.done() < verdict::kMinSweepRounds || rounds.done() > verdict::kMaxSweepRounds)
    return found;
  std::vector<double> y;
  for (std::uint32_t r = 0; r < rounds.done(); ++r)
    for (const std::uint32_t level : axis.levels()) y.push_back(std::exp(axis.mean(r, level)));
  const double bound = kLevel / static_cast<double>(design.parameters.size());
  const auto result = verdict::analyse_sweep(y, k, plan.tolerance, bound);
  if (!result) return found;
  found.z = result->z;
  found.p_holm = result->p_holm;
  std::size_t best = 0;
  for (std::size_t c = 1; c < found.z.size(); ++c)
    if (std::fabs(found.z[c]) > std::fabs(found.z[best])) best = c;
  if (k == 2) best = 1;  // with two levels both contrasts are the same
  if (result->shape == Shape::flat &&
      (axis.complete().size() == 1 || is_flat_everywhere(axis, rounds, plan.tolerance))) {
    found.shape = Shape::flat;
  } else if (found.p_holm[best] <= bound) {
    found.shape = best == 0 ? Shape::trend : Shape::step;
  }
  if (found.shape == Shape::step) {
    found.at = axis.levels()[best];
    found.effect = change_of(axis, rounds.done(), best);
  }
  return found;
}

// The arm that is farthest from the sum of both effects; intervals share the error among all.
std::optional<Interaction> interaction_of(const Design& design, const Rounds& rounds) {
  if (design.parameters.size() != 2 || rounds.done() == 0) return std::nullopt;
  const auto rows = static_cast<std::uint32_t>(design.parameters[0].levels.size());
  const auto columns = static_cast<std::uint32_t>(design.parameters[1].levels.size());
  if (rounds.arms().size() != std::size_t{rows} * columns) return std::nullopt;
  const double level = kIntervals / static_cast<double>((rows - 1) * (columns - 1));
  std::optional<Interaction> largest;
  for (std::uint32_t a = 1; a < rows; ++a)
    for (std::uint32_t b = 1; b < columns; ++b) {
      std::vector<double> beyond;
      for (std::uint32_t r = 0; r < rounds.done(); ++r)
        beyond.push_back(rounds.logs(a * columns + b)[r] - rounds.logs(a * columns)[r] -
                         rounds.logs(b)[r] + rounds.logs(0)[r]);
      const Estimate effect = estimate_of(beyond, level);
      if (!largest || std::fabs(effect.value) > std::fabs(largest->effect.value))
        largest = Interaction{a * columns + b, effect};
    }
  return largest;
}

// What one arm takes against the reference, log units.
struct Cost {
  std::uint32_t arm;
  double time, memory;
};

// In one of both better by more than the tolerance, in the other not worse by more.
bool beats(const Cost& a, const Cost& b, double edge) {
  const double time = b.time - a.time, memory = b.memory - a.memory;
  return (time > edge && memory >= -edge) || (memory > edge && time >= -edge);
}

void add_front(const Plan& plan, SweepFinding& found) {
  std::vector<Cost> costs, front;
  for (const ArmFinding& level : found.levels)
    if (level.memory && *level.memory > 0)
      costs.push_back({level.arm, level.effect.value, std::log(*level.memory)});
  if (costs.size() != found.levels.size()) return;
  const double edge = std::log1p(plan.tolerance);
  for (const Cost& cost : costs)
    if (std::ranges::none_of(costs, [&](const Cost& other) { return beats(other, cost, edge); }))
      front.push_back(cost);
  for (const Cost& cost : front) found.pareto.push_back(cost.arm);

  // The knee: far below the chord from the leanest to the fastest.
  std::ranges::sort(front, {}, &Cost::memory);
  if (front.size() < 3) return;
  const Cost &lean = front.front(), &fast = front.back();
  const double width = fast.memory - lean.memory, height = lean.time - fast.time;
  if (width <= 0 || height <= edge) return;
  double farthest = kKneeDistance;
  for (const Cost& cost : front) {
    const double x = (cost.memory - lean.memory) / width, y = (cost.time - fast.time) / height;
    const double below = (1 - x - y) / std::sqrt(2.0);
    if (below > farthest) farthest = below, found.knee = cost.arm;
  }
}

std::optional<MemoryLine> memory_line(const Plan& plan, const SweepFinding& found) {
  const Design& design = *plan.design;
  if (design.parameters.size() != 1 || found.levels.size() < kLineLevels) return std::nullopt;
  std::vector<double> x, y;
  for (const ArmFinding& level : found.levels) {
    const auto number = level_number(design.parameters[0].levels[level.arm]);
    if (!number || !level.memory) return std::nullopt;
    x.push_back(*number);
    y.push_back(*level.memory);
  }
  const auto n = static_cast<double>(x.size());
  double mean_x = 0, mean_y = 0, sxx = 0, sxy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) mean_x += x[i] / n, mean_y += y[i] / n;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sxx += (x[i] - mean_x) * (x[i] - mean_x);
    sxy += (x[i] - mean_x) * (y[i] - mean_y);
  }
  MemoryLine line;
  line.slope = sxy / sxx;
  line.base = mean_y - line.slope * mean_x;
  for (std::size_t i = 0; i < x.size(); ++i)
    line.largest_residual =
        std::max(line.largest_residual, std::fabs(y[i] - line.base - line.slope * x[i]));
  if (!design.memory_budget) return line;
  double largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (y[i] <= *design.memory_budget && (!line.largest_fit || x[i] > largest))
      line.largest_fit = found.levels[i].arm, largest = x[i];
  if (line.slope > 0) line.predicted_fit = (*design.memory_budget - line.base) / line.slope;
  return line;
}

}  // namespace

std::optional<double> level_number(const std::string& level) { return parse_number(level); }

SweepFinding analyse_rounds(const Plan& plan, const Rounds& rounds) {
  ASSAY_CHECK(plan.design.has_value(), "a sweep has a design");
  SweepFinding found{.rounds = rounds.done()};
  for (std::uint32_t p = 0; p < plan.design->parameters.size(); ++p)
    found.parameters.push_back(shape_of(plan, rounds, p));
  const auto arms = rounds.arms();
  for (const std::uint32_t arm : arms)
    found.levels.push_back(rounds.against(
        arm, arms.front(), kIntervals / std::max<double>(1, static_cast<double>(arms.size()) - 1)));
  if (rounds.done() == 0) return found;
  found.interaction = interaction_of(*plan.design, rounds);
  add_front(plan, found);
  found.memory = memory_line(plan, found);
  return found;
}

}  // namespace assay::experiment
