// SPDX-License-Identifier: Apache-2.0
#include "experiment/suite_audit_signs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/text.hpp"
#include "stats/order.hpp"
#include "stats/sums.hpp"

namespace assay::experiment {
namespace {

constexpr double kCollapsed = 0.1;   // of the largest n of the same benchmark
constexpr double kOverBudget = 3;    // times what the median benchmark is timed for
constexpr double kFirstShare = 0.5;  // of the timed total
constexpr std::size_t kFewestShare = 3, kFewestSkew = 5;  // samples
constexpr double kSkewed = 1.5;
constexpr double kNearBudget = 0.8;
constexpr double kTooFast = 1e-9;         // s: three cycles or so
constexpr double kSameBudget = 2;         // between the quartiles of the benchmarks
constexpr std::size_t kFewestTotals = 5;  // benchmarks, before one is held against the others

// One benchmark over the trials.
struct SeenBenchmark {
  std::uint32_t unit = 0;
  std::vector<std::pair<std::size_t, SuiteReading>> readings = {};  // by trial
};

using SeenBenchmarks = std::vector<std::pair<std::string, SeenBenchmark>>;

SeenBenchmarks benchmarks_of(const SuitePlan& suite, std::span<const Trial* const> trials) {
  SeenBenchmarks all;
  std::map<std::pair<std::uint32_t, std::string>, std::size_t> at;
  const auto slot = [&](std::uint32_t unit, const std::string& id) -> SeenBenchmark& {
    const auto [place, fresh] = at.emplace(std::pair(unit, id), all.size());
    if (fresh) all.push_back({id, SeenBenchmark{.unit = unit}});
    return all[place->second].second;
  };
  for (std::uint32_t unit = 0; unit < suite.units.size(); ++unit)
    for (const std::string& id : suite.units[unit].ids) slot(unit, id);
  for (std::size_t t = 0; t < trials.size(); ++t)
    for (const Measurement& one : trials[t]->measurements) {
      if (one.position >= trials[t]->units.size()) continue;
      slot(trials[t]->units[one.position], one.id).readings.emplace_back(t, reading_of(one));
    }
  return all;
}

// What the benchmarks are timed for: the median of their medians. Nothing where they are not timed
// for about the same: then they have a number of iterations each, and no budget.
std::optional<double> usual_total(const SeenBenchmarks& all) {
  std::vector<double> totals;
  for (const auto& [id, seen] : all) {
    std::vector<double> own;
    for (const auto& [trial, reading] : seen.readings)
      if (reading.is_ok() && reading.total_s) own.push_back(*reading.total_s);
    if (const auto middle = stats::median(own)) totals.push_back(*middle);
  }
  if (totals.size() < kFewestTotals) return std::nullopt;
  const std::vector<double> ascending = stats::sorted(totals);
  const double low = *stats::quantile_of_sorted(ascending, 0.25);
  const double high = *stats::quantile_of_sorted(ascending, 0.75);
  if (high > kSameBudget * low) return std::nullopt;
  return stats::median_of_sorted(ascending);
}

std::string whole_or(double value) {
  return value == std::floor(value) && std::fabs(value) < 1e15 ? fmt::format("{:.0f}", value)
                                                               : fmt::format("{:.4g}", value);
}

class FreeSigns {
 public:
  FreeSigns(std::span<const Trial* const> trials, std::optional<double> usual,
            std::vector<AuditDoubt>& out)
      : trials_(trials), usual_(usual), out_(out) {}

  void look_at(const std::string& id, const SeenBenchmark& seen) {
    id_ = id;
    seen_ = &seen;
    iterations();
    totals();
    first_samples();
    skew();
    setup();
    missing();
    facts();
    too_fast();
  }

 private:
  void tell(DoubtKind kind, double figure, std::string text) {
    out_.push_back({kind, seen_->unit, id_, figure, std::move(text)});
  }

  void iterations() {
    double least = 0, most = 0;
    for (const auto& [trial, reading] : seen_->readings) {
      if (!reading.is_ok() || reading.n <= 0) continue;
      least = least == 0 ? reading.n : std::min(least, reading.n);
      most = std::max(most, reading.n);
    }
    if (least == 0) return;
    if (least == 1 && most == 1)
      tell(DoubtKind::single, 1, "n = 1: a single iteration is no measurement");
    else if (least == 1 || least < kCollapsed * most)
      tell(
          DoubtKind::single, least,
          fmt::format("n collapsed: {:.0f} iterations in one run, {:.0f} in another", least, most));
  }

  void totals() {
    if (!usual_) return;
    double most = 0;
    for (const auto& [trial, reading] : seen_->readings)
      if (reading.is_ok()) most = std::max(most, reading.total_s.value_or(0));
    if (most > kOverBudget * *usual_)
      tell(DoubtKind::over_budget, most,
           fmt::format("timed for {}, where the others are timed for {}", format_seconds(most),
                       format_seconds(*usual_)));
  }

  void first_samples() {
    double worst = 0;
    for (const auto& [trial, reading] : seen_->readings)
      worst = std::max(worst, reading.first_share.value_or(0));
    if (worst > kFirstShare)
      tell(DoubtKind::first_sample, worst,
           fmt::format("its first sample is {:.0f} % of the timed total", 100 * worst));
  }

  void skew() {
    double worst = 0;
    for (const auto& [trial, reading] : seen_->readings)
      worst = std::max(worst, reading.mean_over_median.value_or(0));
    if (worst > kSkewed)
      tell(DoubtKind::skewed, worst,
           fmt::format("the mean of its samples is {:.3g} times their median", worst));
  }

  void setup() {
    if (!usual_) return;
    double most = 0;
    for (const auto& [trial, reading] : seen_->readings)
      most = std::max(most, reading.setup_s.value_or(0) + reading.warmup_s.value_or(0));
    if (most > kNearBudget * *usual_)
      tell(DoubtKind::setup, most,
           fmt::format("its setup takes {}, and benchmarks here are timed for {}",
                       format_seconds(most), format_seconds(*usual_)));
  }

  void missing() {
    std::size_t gone = 0;
    for (const auto& [trial, reading] : seen_->readings)
      gone += reading.status == MeasurementStatus::missing && trials_[trial]->exit == Exit{};
    if (gone > 0)
      tell(DoubtKind::missing, static_cast<double>(gone),
           fmt::format("missing in {} run{} that ended with status 0", gone, gone == 1 ? "" : "s"));
  }

  void too_fast() {
    double least = kTooFast;
    for (const auto& [trial, reading] : seen_->readings)
      if (reading.is_ok()) least = std::min(least, *reading.value);
    if (least < kTooFast)
      tell(DoubtKind::too_fast, least,
           fmt::format("{} an iteration is too little for any work: was it optimised away?",
                       format_seconds(least)));
  }

  // A whole number that is not always the same; other numbers may be measured ones.
  void facts() {
    std::map<std::string, std::pair<double, double>> range;
    std::vector<std::string> order;
    for (const auto& [trial, reading] : seen_->readings)
      for (const Fact& fact : reading.facts) {
        if (is_counter(fact.name) || fact.value != std::floor(fact.value)) continue;
        const auto [at, fresh] = range.emplace(fact.name, std::pair(fact.value, fact.value));
        if (fresh) order.push_back(fact.name);
        at->second.first = std::min(at->second.first, fact.value);
        at->second.second = std::max(at->second.second, fact.value);
      }
    for (const std::string& name : order) {
      const auto [low, high] = range[name];
      if (low == high) continue;
      return tell(DoubtKind::facts, low,
                  fmt::format("its workload changes: {} is {} in one run and {} in another",
                              printable(name), whole_or(low), whole_or(high)));
    }
  }

  std::span<const Trial* const> trials_;
  std::optional<double> usual_;
  std::vector<AuditDoubt>& out_;
  std::string id_;
  const SeenBenchmark* seen_ = nullptr;
};

}  // namespace

SuiteReading reading_of(const Measurement& from) {
  SuiteReading to{.status = from.status};
  if (from.value && *from.value > 0 && std::isfinite(*from.value)) to.value = from.value;
  to.n = from.iterations.value_or(static_cast<double>(from.samples.size()));
  to.total_s = from.total_s;
  to.setup_s = from.setup_s;
  to.warmup_s = from.warmup_s;
  to.gc_s = from.gc_s;
  to.memory_before = from.memory_before;
  to.memory_after = from.memory_after;
  to.facts = from.facts;
  const double total = stats::sum(from.samples);
  const auto middle = stats::median(from.samples);
  if (from.samples.size() >= kFewestShare && total > 0) {
    to.first_share = from.samples.front() / total;
    to.first_extra = (from.samples.front() - *middle) / static_cast<double>(from.samples.size());
  }
  if (from.samples.size() >= kFewestSkew && *middle > 0)
    to.mean_over_median = total / static_cast<double>(from.samples.size()) / *middle;
  return to;
}

bool is_counter(const std::string& fact) {
  std::string name;
  for (const char c : fact) name += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  for (const std::string_view calibrated :
       {"iterations", "samples", "resamples", "rounds", "loops"})
    if (name == calibrated) return true;
  for (const std::string_view part : {"instructions", "cycles", "cache-miss", "cache_miss",
                                      "cache-ref", "branch", "tlb", "page-fault", "context-switch"})
    if (name.find(part) != std::string::npos) return true;
  return false;
}

std::string changed_facts(std::span<const SuiteReading* const> a,
                          std::span<const SuiteReading* const> b) {
  const auto constant = [](std::span<const SuiteReading* const> side, const std::string& name) {
    std::optional<double> value;
    for (const SuiteReading* reading : side) {
      const auto at = std::ranges::find(reading->facts, name, &Fact::name);
      if (at == reading->facts.end()) continue;
      if (value && *value != at->value) return std::optional<double>();
      value = at->value;
    }
    return value;
  };
  std::string text;
  if (a.empty() || b.empty()) return text;
  for (const Fact& fact : a.front()->facts) {
    if (is_counter(fact.name)) continue;
    const auto before = constant(a, fact.name), behind = constant(b, fact.name);
    if (!before || !behind || *before == *behind) continue;
    text += fmt::format("{}{} {} -> {}", text.empty() ? "" : ", ", printable(fact.name),
                        whole_or(*before), whole_or(*behind));
  }
  return text;
}

std::vector<AuditDoubt> free_signs(const SuitePlan& suite, std::span<const Trial* const> trials) {
  const SeenBenchmarks all = benchmarks_of(suite, trials);
  std::vector<AuditDoubt> doubts;
  FreeSigns signs(trials, usual_total(all), doubts);
  for (const auto& [id, seen] : all) signs.look_at(id, seen);
  return doubts;
}

}  // namespace assay::experiment
