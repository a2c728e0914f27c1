// SPDX-License-Identifier: Apache-2.0
#include "experiment/sessions.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "experiment/order.hpp"
#include "experiment/pairs.hpp"
#include "experiment/warnings.hpp"
#include "stats/order.hpp"
#include "verdict/builds.hpp"

namespace assay::experiment {
namespace {

bool is_absent(double value) { return std::isnan(value); }

// Higher must mean worse inside the rule.
std::vector<double> oriented(std::vector<double> values, const Metric& metric) {
  if (metric.better == Better::higher)
    for (double& value : values) value = 1 / value;
  return values;
}

}  // namespace

Sessions::Sessions(Plan plan)
    : plan_(std::move(plan)),
      series_(plan_.arms.size(), std::vector<std::vector<double>>(plan_.metrics.size())),
      blocks_(plan_, [this](std::uint32_t block) { return schedule(block); }) {}

// A block is one session of every arm in random order, so that slow drift hits all arms alike. No
// warm-up: a session of minutes warms itself.
std::vector<Run> Sessions::schedule(std::uint32_t block) const {
  if (block == 0) return {};
  std::vector<std::uint32_t> arms(plan_.arms.size());
  std::iota(arms.begin(), arms.end(), 0u);
  return shuffled_block(plan_.seed, plan_.id_for_order, block, arms, 1);
}

std::vector<MetricFinding> Sessions::findings() const {
  const auto family =
      std::max<std::size_t>(1, gates_of(plan_).size() * candidates_of(plan_).size());
  std::vector<MetricFinding> findings;
  for (const std::uint32_t arm : candidates_of(plan_)) {
    for (std::uint32_t m = 0; m < plan_.metrics.size(); ++m) {
      const Metric& metric = plan_.metrics[m];
      const auto& a = series_[0][m];
      const auto& b = series_[arm][m];
      MetricFinding found{
          .arm = arm, .metric = m, .reading = {}, .judged = is_judged(metric), .since_then = {}};
      found.all_runs = found.reading.runs = static_cast<std::uint32_t>(a.size());
      const bool complete = std::none_of(a.begin(), a.end(), is_absent) &&
                            std::none_of(b.begin(), b.end(), is_absent);
      if (!complete) {
        found.verdict = Verdict::invalid;
        found.reason = Reason::missing_metric;
      } else {
        const double alpha = metric.gating ? 0.01 / static_cast<double>(family) : 0.01;
        const auto decision = verdict::session_verdict(oriented(a, metric), oriented(b, metric),
                                                       {plan_.tolerance, alpha});
        found.verdict = decision.verdict;
        found.reason = decision.reason;
        found.reading = decision.reading;
      }
      if (!a.empty() && complete) {
        found.baseline_median = *stats::median(a);
        found.candidate_median = *stats::median(b);
      }
      findings.push_back(found);
    }
  }
  return findings;
}

Step Sessions::next(std::span<const Entry> entries, std::size_t jobs_in_flight) {
  blocks_.read(entries, [&](std::uint32_t block, std::span<const Trial* const> trials) {
    for (const Trial* trial : trials)
      for (std::size_t m = 0; m < plan_.metrics.size(); ++m)
        series_[trial->arm][m].push_back(trial->values[m].value_or(std::nan("")));
    return block < plan_.runs;
  });
  const bool done = blocks_.blocks_done() >= plan_.runs;
  const bool stopped = is_stopped(entries);
  if (done || stopped || blocks_.failure()) {
    auto ended_by = done ? std::optional(EndedBy::runs_done) : std::nullopt;
    if (blocks_.failure()) ended_by = EndedBy::failure;
    Conclusion conclusion = plain_conclusion(plan_, entries, blocks_, ended_by);
    if (blocks_.failure()) return conclusion;
    conclusion.findings = findings();
    conclusion.overall = worst_of(conclusion.findings, plan_);
    conclusion.warnings = warnings_of(plan_, entries, conclusion.findings);
    return conclusion;
  }
  if (jobs_in_flight > 0) return Wait{};
  return blocks_.missing();
}

Progress Sessions::progress() const {
  Progress progress{.blocks_done = blocks_.blocks_done(),
                    .runs_done = blocks_.runs_done(),
                    .seconds_used = blocks_.seconds_used(),
                    .seconds_left = {},
                    .block_seconds = blocks_.block_seconds(),
                    .findings = {}};
  if (progress.blocks_done > 0) progress.findings = findings();
  if (progress.block_seconds)
    progress.seconds_left = *progress.block_seconds * (plan_.runs - progress.blocks_done);
  return progress;
}

}  // namespace assay::experiment
