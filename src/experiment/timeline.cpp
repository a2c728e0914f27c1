// SPDX-License-Identifier: Apache-2.0
#include "experiment/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.hpp"
#include "verdict/steps.hpp"
#include "verdict/sweep.hpp"

namespace assay::experiment {
namespace {

constexpr double kIntervals = 0.05;  // shared by the commits
constexpr std::size_t kShortCommit = 10;
constexpr std::size_t kNamed = 2;  // steps in the answer

// rounds x arms of one quantity, row-major, logs.
template <class Column>
std::vector<double> matrix_of(const std::vector<std::uint32_t>& arms, std::uint32_t rounds,
                              const Column& column) {
  std::vector<double> matrix;
  for (std::uint32_t r = 0; r < rounds; ++r)
    for (const std::uint32_t arm : arms) matrix.push_back(column(arm)[r]);
  return matrix;
}

// Mean over the commits [begin, end) in one round.
double mean_of(const Rounds& rounds, const std::vector<std::uint32_t>& arms, std::uint32_t round,
               std::size_t begin, std::size_t end) {
  double sum = 0;
  for (std::size_t i = begin; i < end; ++i) sum += rounds.logs(arms[i])[round];
  return sum / static_cast<double>(end - begin);
}

// What every stretch between two steps takes, the first = 1.
std::vector<double> stretch_levels(const Rounds& rounds, const std::vector<std::uint32_t>& arms,
                                   const std::vector<std::size_t>& edges) {
  std::vector<double> levels = {1};
  for (std::size_t s = 1; s + 1 < edges.size(); ++s) {
    std::vector<double> changes;
    for (std::uint32_t r = 0; r < rounds.done(); ++r)
      changes.push_back(mean_of(rounds, arms, r, edges[s], edges[s + 1]) -
                        mean_of(rounds, arms, r, edges[0], edges[1]));
    levels.push_back(std::exp(estimate_of(changes, kIntervals).value));
  }
  return levels;
}

// Costs add up, so a step is taken back by the first later one of the same size in the other
// direction that has not taken another back; else by the one behind which the level is the old one.
void mark_undone(const Plan& plan, const std::vector<double>& levels,
                 const std::vector<std::uint32_t>& arms, const std::vector<std::size_t>& edges,
                 TimelineFinding& found) {
  std::vector<bool> used(levels.size(), false);
  for (std::size_t s = 1; s < levels.size(); ++s) {
    if (used[s]) continue;
    const double size = levels[s] - levels[s - 1];
    std::size_t undoes = 0;
    for (std::size_t later = s + 1; later < levels.size() && undoes == 0; ++later) {
      const double back = levels[later] - levels[later - 1];
      if (!used[later] && size * back < 0 && std::fabs(size + back) <= plan.tolerance)
        undoes = later;
    }
    for (std::size_t later = s + 1; later < levels.size() && undoes == 0; ++later)
      if (!used[later] && std::fabs(levels[later] - levels[s - 1]) <= plan.tolerance)
        undoes = later;
    if (undoes == 0) continue;
    used[undoes] = true;
    found.commits[edges[s]].undone_by = arms[edges[undoes]];
  }
}

void mark_steps(const Plan& plan, const Rounds& rounds, const std::vector<std::uint32_t>& arms,
                TimelineFinding& found) {
  const auto logs = matrix_of(arms, rounds.done(), [&](auto arm) { return rounds.logs(arm); });
  const auto steps = verdict::find_steps(logs, arms.size(), plan.tolerance);
  std::vector<std::size_t> edges = {0};
  for (const verdict::StepChange& step : steps) {
    found.commits[step.at].step = true;
    found.commits[step.at].step_effect = step.effect;
    edges.push_back(step.at);
  }
  edges.push_back(arms.size());
  mark_undone(plan, stretch_levels(rounds, arms, edges), arms, edges, found);
  std::vector<double> memory;
  for (const std::uint32_t arm : arms)
    if (rounds.memory(arm).empty()) return;
  for (std::uint32_t r = 0; r < rounds.done(); ++r)
    for (const std::uint32_t arm : arms) memory.push_back(std::log(rounds.memory(arm)[r]));
  for (const verdict::StepChange& step : verdict::find_steps(memory, arms.size(), plan.tolerance)) {
    found.commits[step.at].memory_step = true;
    found.commits[step.at].memory_step_effect = step.effect;
  }
}

std::string answer_of(const Plan& plan, const TimelineFinding& found) {
  std::string text;
  std::size_t steps = 0;
  for (const TimelineCommit& commit : found.commits) {
    if (!commit.step || ++steps > kNamed) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ",
                        plan.design->commits[commit.to_first.arm].id.substr(0, kShortCommit),
                        format_change(std::exp(commit.step_effect->value)));
  }
  if (steps == 0) return fmt::format("no step in {} commits", found.commits.size());
  if (steps > kNamed) text += fmt::format(" and {} more", steps - kNamed);
  return fmt::format("{}: {}", counted(steps, "step"), text);
}

}  // namespace

TimelineFinding analyse_commits(const Plan& plan, const Rounds& rounds) {
  TimelineFinding found{.rounds = rounds.done()};
  const auto arms = rounds.arms();
  const double level = kIntervals / std::max<double>(1, static_cast<double>(arms.size()) - 1);
  for (std::size_t i = 0; i < arms.size(); ++i) {
    TimelineCommit commit{.to_first = rounds.against(arms[i], arms.front(), level)};
    const ArmFinding parent = rounds.against(arms[i], arms[i == 0 ? 0 : i - 1], level);
    commit.to_parent = parent.effect;
    commit.memory_to_parent = parent.memory_effect;
    found.commits.push_back(std::move(commit));
  }
  if (rounds.done() < verdict::kMinSweepRounds) return found;
  mark_steps(plan, rounds, arms, found);
  const double edge = std::log1p(plan.tolerance);
  const Estimate last = rounds.against(arms.back(), arms.front(), kIntervals).effect;
  found.back_at_first = last.lo && *last.lo >= -edge && *last.hi <= edge;
  return found;
}

Timeline::Timeline(Plan plan) : plan_(std::move(plan)), rounds_(plan_) {}

Step Timeline::next(std::span<const Entry> entries, std::size_t jobs_in_flight) {
  rounds_.read(entries);
  if (!rounds_.ended_by() && !is_stopped(entries)) {
    if (jobs_in_flight > 0) return Wait{};
    return rounds_.missing();
  }
  Conclusion conclusion = round_conclusion(plan_, rounds_, entries, "commit");
  if (conclusion.overall == Verdict::failed) return conclusion;
  conclusion.timeline = analyse_commits(plan_, rounds_);
  const bool enough = rounds_.done() >= verdict::kMinSweepRounds;
  conclusion.overall = enough ? Verdict::equivalent : Verdict::undecided;
  conclusion.answer = enough ? answer_of(plan_, *conclusion.timeline) : "UNDECIDED: too few rounds";
  return conclusion;
}

Progress Timeline::progress() const { return rounds_.progress(); }

}  // namespace assay::experiment
