// SPDX-License-Identifier: Apache-2.0
#include "experiment/warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "base/text.hpp"
#include "experiment/pairs.hpp"
#include "stats/diagnostics.hpp"
#include "stats/order.hpp"

namespace assay::experiment {
namespace {

constexpr double kShortRun = 0.005;  // s; below it start-up and the clock are much of the value
constexpr double kTailAlarm = 3.29;  // rule.md section 3
constexpr double kBusyShare = 0.1;   // of wall time spent waiting for a CPU
constexpr std::uint64_t kBufferBytes = 4096;  // what the C library writes at once
constexpr double kStealShare = 0.02;

using Trials = std::vector<const Trial*>;

Trials measured_trials(std::span<const Entry> entries) {
  Trials trials;
  for (const Entry& entry : entries)
    if (const auto* trial = std::get_if<Trial>(&entry); trial != nullptr && !trial->warmup)
      trials.push_back(trial);
  return trials;
}

std::optional<std::size_t> metric_index(const Plan& plan, std::string_view name) {
  for (std::size_t m = 0; m < plan.metrics.size(); ++m)
    if (plan.metrics[m].name == name) return m;
  return std::nullopt;
}

std::optional<double> value_of(const Trial& trial, std::size_t metric) {
  return metric < trial.values.size() ? trial.values[metric] : std::nullopt;
}

std::vector<double> values_of(const Trials& trials, std::size_t metric,
                              std::optional<std::uint32_t> arm) {
  std::vector<double> values;
  for (const Trial* trial : trials)
    if (!arm || trial->arm == *arm)
      if (const auto value = value_of(*trial, metric)) values.push_back(*value);
  return values;
}

double sum_of(const Trials& trials, std::optional<double> Contention::*member) {
  double sum = 0;
  for (const Trial* trial : trials) sum += (trial->contention.*member).value_or(0);
  return sum;
}

class Collector {
 public:
  Collector(const Plan& plan, Trials trials) : plan_(plan), trials_(std::move(trials)) {}

  std::vector<Warning> collect(std::span<const MetricFinding> findings) {
    outputs();
    short_runs();
    series();
    contention();
    for (const MetricFinding& found : findings) of_finding(found);
    if (!plan_.earlier_p.empty())
      add(WarningKind::reruns,
          fmt::format(
              "this comparison was made {} within 7 days; the 1 % is shared among all of them",
              plan_.earlier_p.size() == 1
                  ? "once before"
                  : fmt::format("{} times before", plan_.earlier_p.size())));
    return std::move(warnings_);
  }

 private:
  void add(WarningKind kind, std::string text) { warnings_.push_back({kind, std::move(text)}); }

  std::string letter(std::uint32_t arm) const { return arm_letter(arm, plan_); }

  void outputs() {
    std::vector<std::set<std::string>> digests(plan_.arms.size());
    std::size_t torn = 0;
    std::uint32_t left_behind = 0, bad_exits = 0;
    for (const Trial* trial : trials_) {
      if (!trial->output.digest.empty()) digests[trial->arm].insert(trial->output.digest);
      left_behind += trial->left_behind;
      bad_exits += trial->exit != Exit{};
    }
    // Output that ends alike in every run, and not where a buffer does, is how the program writes.
    for (const Trial* trial : trials_)
      torn += trial->output.torn &&
              (digests[trial->arm].size() > 1 || trial->output.bytes % kBufferBytes == 0);
    for (std::uint32_t arm = 1; arm < digests.size(); ++arm) {
      // A program that prints times differs from itself; that says nothing about the sides.
      // Nor does one whose output is the measurement.
      if (measures_output() || digests[0].size() != 1 || digests[arm].size() != 1 ||
          digests[0] == digests[arm])
        continue;
      add(WarningKind::outputs_differ,
          fmt::format("outputs differ between the sides (sha256 {:.4}... / {:.4}...): a faster "
                      "wrong program is not faster",
                      *digests[0].begin(), *digests[arm].begin()));
    }
    if (torn > 0)
      add(WarningKind::torn_log, fmt::format("the output of {} of {} runs ends in the middle of a "
                                             "line: it may be torn; --line-buffered keeps it whole",
                                             torn, trials_.size()));
    if (left_behind > 0)
      add(WarningKind::left_behind,
          fmt::format("{} processes outlived their command and were killed", left_behind));
    if (bad_exits > 0)
      add(WarningKind::exit_codes,
          fmt::format("{} of {} runs exited with a status other than 0 (--ignore-exit)", bad_exits,
                      trials_.size()));
  }

  bool measures_output() const {
    return std::any_of(plan_.metrics.begin(), plan_.metrics.end(),
                       [](const Metric& metric) { return metric.origin == MetricOrigin::output; });
  }

  void short_runs() {
    const auto wall = metric_index(plan_, "wall");
    if (!wall || plan_.run.exact) return;
    const auto median = stats::median(values_of(trials_, *wall, 0));
    if (median && *median < kShortRun)
      add(WarningKind::short_runs,
          fmt::format("runs of {} are mostly start-up: let the command do more work for each run",
                      format_seconds(*median)));
  }

  // Drift, position, modes and outliers, of the first gating time.
  void series() {
    for (std::size_t m = 0; m < plan_.metrics.size(); ++m) {
      if (!plan_.metrics[m].gating && plan_.kind != PlanKind::measure) continue;
      if (plan_.kind == PlanKind::measure && plan_.metrics[m].name != "wall") continue;
      of_series(m);
    }
  }

  void of_series(std::size_t m) {
    const Metric& metric = plan_.metrics[m];
    std::string far, groups;
    double largest = 0;
    for (std::uint32_t arm = 0; arm < plan_.arms.size(); ++arm) {
      std::vector<double> logs;
      for (const double value : values_of(trials_, m, arm))
        if (value > 0) logs.push_back(std::log(value));
      std::sort(logs.begin(), logs.end());
      if (const auto modes = stats::find_two_modes(logs); modes && modes->alarm)
        groups += fmt::format("{}{} (none between {} and {})", groups.empty() ? "" : ", ",
                              letter(arm), format_value(std::exp(modes->low), metric.unit),
                              format_value(std::exp(modes->high), metric.unit));
      if (const auto out = stats::find_outliers(logs); out && out->alarm) {
        far += fmt::format("{}{} of {} runs{}", far.empty() ? "" : ", ", out->low + out->high,
                           logs.size(), plan_.arms.size() > 1 ? " of " + letter(arm) : "");
        if (std::fabs(out->largest) > std::fabs(largest)) largest = out->largest;
      }
    }
    if (!groups.empty())
      add(WarningKind::bimodal,
          fmt::format("{} falls into two groups: {}; two states of the machine "
                      "or of the program",
                      metric.name, groups));
    if (!far.empty())
      add(WarningKind::outliers,
          fmt::format("{}: {} far from the rest, the farthest at {}; all of them count",
                      metric.name, far, format_change(std::exp(largest))));
    of_order(m);
  }

  // Effects of time and of the place in the block; complete blocks of positive values only.
  void of_order(std::size_t m) {
    const std::size_t slots = plan_.kind == PlanKind::compare ? 6 * plan_.arms.size() : 1;
    std::vector<double> logs, block_medians;
    std::vector<std::uint32_t> sides;
    std::vector<const Trial*> in_order(trials_);
    std::stable_sort(in_order.begin(), in_order.end(), [](const Trial* x, const Trial* y) {
      return x->block != y->block ? x->block < y->block : x->slot < y->slot;
    });
    for (std::size_t first = 0; first + slots <= in_order.size(); first += slots) {
      std::vector<double> block;
      for (std::size_t i = first; i < first + slots; ++i) {
        const auto value = value_of(*in_order[i], m);
        if (!value || *value <= 0) return;
        block.push_back(std::log(*value));
        sides.push_back(in_order[i]->arm);
      }
      block_medians.push_back(*stats::median(block));
      logs.insert(logs.end(), block.begin(), block.end());
    }
    if (const auto drift = stats::find_drift(block_medians); drift && drift->alarm)
      add(WarningKind::drift,
          fmt::format("{} drifted by {} over the runs{}", plan_.metrics[m].name,
                      format_change(std::exp(drift->change)),
                      slots == 1 ? ": the machine changed, and the median is of no one state"
                                 : ", for all sides alike: the machine changed; the random order "
                                   "keeps the verdict sound"));
    if (slots == 1) return;
    const auto residuals = stats::within_side_residuals(logs, sides, slots);
    if (const auto effect = stats::find_position_effect(residuals, slots); effect && effect->alarm)
      add(WarningKind::position,
          fmt::format("{} depends on the place in the block (run {} of {} is {} off): one run may "
                      "disturb the next; try --cooldown or --prepare",
                      plan_.metrics[m].name, effect->slot + 1, slots,
                      format_change(std::exp(effect->shift))));
  }

  void contention() {
    const auto wall_metric = metric_index(plan_, "wall");
    if (!wall_metric || trials_.empty()) return;
    const auto walls = values_of(trials_, *wall_metric, std::nullopt);
    const double wall = std::accumulate(walls.begin(), walls.end(), 0.0);
    if (wall <= 0) return;
    const double steal = sum_of(trials_, &Contention::steal_s);
    const double delay = sum_of(trials_, &Contention::run_delay_s);
    const double cpu = sum_of(trials_, &Contention::psi_cpu_s);
    if (steal > kStealShare * wall)
      add(WarningKind::contention, fmt::format("the hypervisor took {:.0f} % of the CPU time away "
                                               "(steal): wall time suffers, CPU time less",
                                               100 * steal / wall));
    const double waiting = std::max(delay, cpu);
    if (waiting > kBusyShare * wall)
      add(WarningKind::contention,
          fmt::format("this machine is busy: during {:.0f} % of the runs' time something waited "
                      "for a CPU; stop other work{}",
                      std::min(100.0, 100 * waiting / wall),
                      plan_.run.isolate ? "" : ", or try --isolate"));
  }

  void of_finding(const MetricFinding& found) {
    const std::string& name = plan_.metrics[found.metric].name;
    if (found.judged && found.reading.tail_z && std::fabs(*found.reading.tail_z) >= kTailAlarm)
      add(WarningKind::tails,
          fmt::format("{}: {} has more slow runs (beyond 1.2 x the block's median) than chance "
                      "allows; the verdict speaks of the typical run (--tails samples more)",
                      name, letter(*found.reading.tail_z > 0 ? found.arm : 0)));
    if (found.judged && plan_.metrics[found.metric].gating && found.reading.guard)
      add(WarningKind::spread, fmt::format("{}: the runs of one side vary more than twice as much "
                                           "as the other's; the interval was widened for that",
                                           name));
    if (found.reason == Reason::sampled_too_little)
      add(WarningKind::few_memory_samples,
          fmt::format("{}: fewer than 20 samples in some run, so it is shown and not judged",
                      name));
  }

  const Plan& plan_;
  Trials trials_;
  std::vector<Warning> warnings_;
};

}  // namespace

std::vector<Warning> warnings_of(const Plan& plan, std::span<const Entry> entries,
                                 std::span<const MetricFinding> findings) {
  return Collector(plan, measured_trials(entries)).collect(findings);
}

Conclusion plain_conclusion(const Plan& plan, std::span<const Entry> entries, const Blocks& blocks,
                            std::optional<EndedBy> ended_by) {
  Conclusion conclusion;
  conclusion.ended_by = ended_by.value_or(EndedBy::interrupted);
  if (const auto& failure = blocks.failure()) {
    conclusion.overall = Verdict::failed;
    conclusion.failed_trial = failure->trial;
    conclusion.failure = failure->text;
  } else if (plan.kind == PlanKind::measure || plan.kind == PlanKind::calibrate) {
    conclusion.warnings = warnings_of(plan, entries, {});
  }
  return conclusion;
}

}  // namespace assay::experiment
