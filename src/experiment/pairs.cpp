// SPDX-License-Identifier: Apache-2.0
#include "experiment/pairs.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"
#include "experiment/order.hpp"
#include "stats/order.hpp"
#include "verdict/exact.hpp"
#include "verdict/family.hpp"

namespace assay::experiment {
namespace {

constexpr std::uint32_t kMinTreeSamples = 20;  // rule.md section 4
constexpr std::uint32_t kTailRuns = 96;        // rule.md section 3, --tails

verdict::RuleOptions rule_options(const Plan& plan, const Metric& metric, double alpha) {
  verdict::RuleOptions options{
      .tolerance = plan.tolerance, .max_runs = plan.max_runs, .alpha = alpha};
  if (plan.tails) options.min_equivalent_runs = kTailRuns;
  for (const NoiseFloor& floor : plan.floors) {
    if (floor.metric != metric.name) continue;
    options.sys_sigma = floor.sys_sigma;
    options.sys_k = floor.sys_k;
  }
  return options;
}

// Higher must mean worse inside the rule.
double oriented(double value, const Metric& metric) {
  return metric.better == Better::higher ? 1 / value : value;
}

}  // namespace

bool is_judged(const Metric& metric) {
  if (metric.gating || metric.origin == MetricOrigin::output) return true;
  static constexpr std::string_view kJudged[] = {"wall", "cpu", "peak_mem", "cgroup_mem",
                                                 "instructions"};
  return std::find(std::begin(kJudged), std::end(kJudged), metric.name) != std::end(kJudged);
}

std::vector<std::uint32_t> gates_of(const Plan& plan) {
  std::vector<std::uint32_t> gates;
  for (std::uint32_t m = 0; m < plan.metrics.size(); ++m)
    if (plan.metrics[m].gating) gates.push_back(m);
  return gates;
}

std::vector<std::uint32_t> candidates_of(const Plan& plan) {
  std::vector<std::uint32_t> arms;
  for (std::uint32_t arm = 1; arm < plan.arms.size(); ++arm)
    if (plan.control != arm) arms.push_back(arm);
  return arms;
}

Verdict worst_of(std::span<const MetricFinding> findings, const Plan& plan) {
  Verdict overall = Verdict::equivalent;
  for (const MetricFinding& found : findings)
    if (plan.metrics[found.metric].gating && plan.control != found.arm)
      overall = std::max(overall, found.verdict);
  return overall;
}

bool Pair::is_open() const {
  if (missing_value || exact) return false;
  return !test || test->is_open();
}

Pairs::Pairs(const Plan& plan) : plan_(plan) {
  const auto gates = gates_of(plan).size();
  const auto candidates = candidates_of(plan).size();
  // Earlier runs of the same comparison share the 1 % (rule.md section 8).
  const auto family = std::max<std::size_t>(1, gates * candidates * (1 + plan.earlier_p.size()));
  family_alpha_ = 0.01 / static_cast<double>(family);
  series_.assign(plan.arms.size(), std::vector<std::vector<double>>(plan.metrics.size()));
  for (std::uint32_t arm = 1; arm < plan.arms.size(); ++arm)
    for (std::uint32_t metric = 0; metric < plan.metrics.size(); ++metric)
      pairs_.push_back({.arm = arm,
                        .metric = metric,
                        .gating = plan.metrics[metric].gating && plan.control != arm,
                        .control = plan.control == arm,
                        .test = {},
                        .exact = {}});
}

void Pairs::add_block(std::span<const Trial* const> trials) {
  const std::size_t first = series_[0].empty() ? 0 : series_[0][0].size();
  for (const Trial* trial : trials) {
    least_memory_samples_ = std::min(least_memory_samples_, trial->memory_samples);
    for (std::size_t m = 0; m < plan_.metrics.size(); ++m) {
      const auto value = m < trial->values.size() ? trial->values[m] : std::nullopt;
      series_[trial->arm][m].push_back(value ? oriented(*value, plan_.metrics[m]) : std::nan(""));
    }
  }
  for (Pair& pair : pairs_) feed(pair, first);
}

void Pairs::feed(Pair& pair, std::size_t first) {
  if (pair.missing_value || pair.exact) return;
  const auto block_of = [&](std::uint32_t arm) {
    return std::span<const double>(series_[arm][pair.metric]).subspan(first, kRunsPerArm);
  };
  const auto a = block_of(0);
  const auto b = block_of(pair.arm);
  const auto is_absent = [](double value) { return std::isnan(value); };
  if (std::any_of(a.begin(), a.end(), is_absent) || std::any_of(b.begin(), b.end(), is_absent)) {
    pair.missing_value = true;
    return;
  }
  if (!pair.test) {
    const Metric& metric = plan_.metrics[pair.metric];
    const auto gates = std::max<std::size_t>(1, gates_of(plan_).size());
    const double alpha = pair.gating    ? family_alpha_
                         : pair.control ? 0.01 / static_cast<double>(gates)
                                        : 0.01;
    verdict::RuleOptions options = rule_options(plan_, metric, alpha);
    if (metric.unit == "B" && metric.better == Better::lower)
      options.tolerance = verdict::memory_tolerance(plan_.tolerance, *stats::median(a));
    pair.test.emplace(options);
  }
  pair.test->add_block(a, b);
}

void Pairs::add_pilot(std::span<const Trial* const> trials) {
  auto pilot = series_;
  for (const Trial* trial : trials)
    for (std::size_t m = 0; m < plan_.metrics.size(); ++m)
      if (m < trial->values.size() && trial->values[m])
        pilot[trial->arm][m].push_back(oriented(*trial->values[m], plan_.metrics[m]));
  bool all_exact = true;
  for (Pair& pair : pairs_) {
    pair.exact = verdict::exact_verdict(pilot[0][pair.metric], pilot[pair.arm][pair.metric]);
    all_exact = all_exact && (pair.exact || !pair.gating);
  }
  if (all_exact) {
    series_ = std::move(pilot);
  } else {  // the standard rule takes over, for every pair
    for (Pair& pair : pairs_) pair.exact.reset();
  }
}

bool Pairs::any_open_gate() const {
  return std::any_of(pairs_.begin(), pairs_.end(),
                     [](const Pair& pair) { return pair.gating && pair.is_open(); });
}

bool Pairs::all_open_gates_futile(std::uint32_t reachable) const {
  return std::all_of(pairs_.begin(), pairs_.end(), [&](const Pair& pair) {
    return !pair.gating || !pair.is_open() || (pair.test && pair.test->is_futile(reachable));
  });
}

const Pair* Pairs::broken_gate() const {
  for (const Pair& pair : pairs_) {
    if (!pair.gating) continue;
    if (pair.missing_value || (pair.test && pair.test->verdict() == Verdict::invalid)) return &pair;
  }
  return nullptr;
}

bool Pairs::control_moved() const {
  return std::any_of(pairs_.begin(), pairs_.end(), [&](const Pair& pair) {
    if (!pair.control || !pair.test || !plan_.metrics[pair.metric].gating) return false;
    return pair.test->verdict() == Verdict::slower || pair.test->verdict() == Verdict::faster;
  });
}

double Pairs::median_of(std::uint32_t arm, std::uint32_t metric, std::uint32_t runs) const {
  const auto& series = series_[arm][metric];
  const std::size_t count = std::min<std::size_t>(runs, series.size());
  if (count == 0) return 0;
  std::vector<double> values(series.begin(), series.begin() + static_cast<std::ptrdiff_t>(count));
  return oriented(*stats::median(values), plan_.metrics[metric]);
}

MetricFinding Pairs::finding(const Pair& pair) const {
  const Metric& metric = plan_.metrics[pair.metric];
  MetricFinding found{.arm = pair.arm, .metric = pair.metric, .reading = {}, .since_then = {}};
  found.judged = is_judged(metric);
  const auto all = static_cast<std::uint32_t>(series_[0][pair.metric].size());
  found.all_runs = all;
  if (pair.exact) {
    found.verdict = pair.exact->verdict;
    found.reason = pair.exact->reason;
    found.reading = pair.exact->reading;
  } else if (pair.missing_value) {
    found.verdict = Verdict::invalid;
    found.reason = Reason::missing_metric;
    found.judged = found.judged && metric.gating;
  } else if (pair.test) {
    found.verdict = pair.test->verdict();
    found.reason = pair.test->reason();
    found.reading = pair.test->reading();
    if (!pair.test->is_open() && found.verdict != Verdict::invalid && all > found.reading.runs)
      found.since_then = pair.test->estimate_of_all();
  }
  if (metric.name == "tree_mem" && least_memory_samples_ < kMinTreeSamples) {
    found.judged = false;
    found.reason = Reason::sampled_too_little;
    if (metric.gating) found.verdict = Verdict::invalid;
  }
  found.baseline_median = median_of(0, pair.metric, found.reading.runs);
  found.candidate_median = median_of(pair.arm, pair.metric, found.reading.runs);
  return found;
}

// The end of sampling: Holm over the family may turn an UNDECIDED into a claim (rule.md section 4),
// and a claim must survive Holm over all runs of this same comparison (section 8).
void Pairs::correct_family(std::vector<MetricFinding>& findings) const {
  std::vector<MetricFinding*> family;
  std::vector<verdict::FamilyMember> members;
  for (MetricFinding& found : findings) {
    const auto& pair =
        pairs_[static_cast<std::size_t>(found.arm - 1) * plan_.metrics.size() + found.metric];
    if (!pair.gating || !pair.test || found.verdict == Verdict::invalid) continue;
    family.push_back(&found);
    members.push_back({found.verdict, found.reading, pair.test->options().tolerance});
  }
  const auto outcomes = verdict::family_holm(members);
  for (std::size_t i = 0; i < family.size(); ++i) {
    MetricFinding& found = *family[i];
    if (!outcomes[i].by_holm) continue;
    const auto reruns =
        verdict::correct_for_reruns(outcomes[i].adjusted_p, plan_.earlier_p, family.size());
    if (!reruns.stands) continue;
    found.verdict = outcomes[i].verdict;
    found.reason = Reason::decided;
    found.by_holm = true;
    found.reading.sign = found.verdict == Verdict::slower ? Sign::slower : Sign::faster;
    found.reading.more = 0;
  }
}

std::vector<MetricFinding> Pairs::findings() const {
  std::vector<MetricFinding> findings;
  for (const Pair& pair : pairs_) findings.push_back(finding(pair));
  correct_family(findings);
  return findings;
}

}  // namespace assay::experiment
