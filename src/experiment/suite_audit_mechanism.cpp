// SPDX-License-Identifier: Apache-2.0
#include "experiment/suite_audit_mechanism.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "stats/order.hpp"

namespace assay::experiment {
namespace {

constexpr double kAccounts = 0.5;   // of the difference: less is a part, not the mechanism
constexpr double kSameWork = 0.03;  // instructions that are the same
constexpr double kFewer = 0.5;      // iterations, of those alone
constexpr double kMoreCycles = 1.10;

using ReadingSide = std::span<const SuiteReading* const>;
using ReadingPart = std::function<std::optional<double>(const SuiteReading&)>;

std::optional<double> median_over(ReadingSide side, const ReadingPart& read) {
  std::vector<double> values;
  for (const SuiteReading* one : side)
    if (const auto value = read(*one)) values.push_back(*value);
  return stats::median(values);
}

std::optional<double> value_of_reading(const SuiteReading& one) { return one.value; }

std::optional<double> iterations_of(const SuiteReading& one) {
  return one.n > 0 ? std::optional(one.n) : std::nullopt;
}

std::optional<double> setup_of(const SuiteReading& one) {
  if (!one.setup_s && !one.warmup_s) return std::nullopt;
  return one.setup_s.value_or(0) + one.warmup_s.value_or(0);
}

std::optional<double> garbage_of(const SuiteReading& one) {  // s an iteration
  if (!one.gc_s || one.n <= 0) return std::nullopt;
  return *one.gc_s / one.n;
}

// What the first sample adds to the mean of all.
std::optional<double> first_in_mean(const SuiteReading& one) { return one.first_extra; }

std::optional<double> counter_of(ReadingSide side, std::string_view part) {
  return median_over(side, [&](const SuiteReading& one) -> std::optional<double> {
    for (const Fact& fact : one.facts) {
      std::string name;
      for (const char c : fact.name)
        name += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
      if (name.find(part) != std::string::npos && fact.value > 0) return fact.value;
    }
    return std::nullopt;
  });
}

class MechanismSearch {
 public:
  MechanismSearch(ReadingSide alone, ReadingSide behind, std::optional<double> again)
      : alone_(alone), behind_(behind), again_(again) {
    before_ = median_over(alone, value_of_reading).value_or(0);
    now_ = median_over(behind, value_of_reading).value_or(0);
    excess_ = now_ - before_;
  }

  ShownMechanism answer() {
    if (const auto changed = changed_facts(alone_, behind_); !changed.empty())
      return {Mechanism::workload, changed};
    for (const auto look : {&MechanismSearch::in_garbage, &MechanismSearch::in_first_sample,
                            &MechanismSearch::in_second_time, &MechanismSearch::in_budget,
                            &MechanismSearch::in_cycles})
      if (const auto shown = (this->*look)()) return *shown;
    return {Mechanism::not_shown, looked_at_.empty()
                                      ? "the suite reports nothing but times"
                                      : fmt::format("looked at {}", fmt::join(looked_at_, ", "))};
  }

 private:
  using Shown = std::optional<ShownMechanism>;

  // Share of the difference.
  double share(double part) const { return excess_ != 0 ? part / excess_ : 0; }

  Shown in_garbage() {
    const auto alone = median_over(alone_, garbage_of), behind = median_over(behind_, garbage_of);
    if (!alone || !behind) return {};
    const double part = share(*behind - *alone);
    looked_at_.push_back(
        fmt::format("garbage collection ({:.0f} % of the difference)", 100 * part));
    if (part < kAccounts) return {};
    return ShownMechanism{
        Mechanism::garbage,
        fmt::format("collecting garbage takes {} of every iteration, {} alone: {:.0f} % of the "
                    "difference",
                    format_seconds(*behind), format_seconds(*alone), 100 * part)};
  }

  Shown in_first_sample() {
    const auto share_behind =
        median_over(behind_, [](const SuiteReading& one) { return one.first_share; });
    const auto share_alone =
        median_over(alone_, [](const SuiteReading& one) { return one.first_share; });
    const auto mean_behind = median_over(behind_, first_in_mean);
    const auto mean_alone = median_over(alone_, first_in_mean);
    if (!share_behind || !share_alone || !mean_behind || !mean_alone) return {};
    const double part = share(*mean_behind - *mean_alone);
    looked_at_.push_back(fmt::format("the first sample ({:.0f} % of the total, {:.0f} % alone)",
                                     100 * *share_behind, 100 * *share_alone));
    if (part < kAccounts) return {};
    return ShownMechanism{Mechanism::setup_in_timing,
                          fmt::format("its first sample is {:.0f} % of the timed total, {:.0f} % "
                                      "alone: {:.0f} % of the difference",
                                      100 * *share_behind, 100 * *share_alone, 100 * part)};
  }

  Shown in_second_time() {
    if (!again_) return {};
    const double part = share(now_ - *again_);
    looked_at_.push_back(fmt::format("a second time right behind ({})", format_seconds(*again_)));
    if (part < kAccounts) return {};
    return ShownMechanism{
        Mechanism::setup_in_timing,
        fmt::format("it comes once: {} the first time, {} right behind, {} alone",
                    format_seconds(now_), format_seconds(*again_), format_seconds(before_))};
  }

  Shown in_budget() {
    const auto alone = median_over(alone_, setup_of), behind = median_over(behind_, setup_of);
    const auto n_alone = median_over(alone_, iterations_of);
    const auto n_behind = median_over(behind_, iterations_of);
    if (!alone || !behind || !n_alone || !n_behind) return {};
    looked_at_.push_back(
        fmt::format("setup ({}, {} alone)", format_seconds(*behind), format_seconds(*alone)));
    const auto total = median_over(behind_, [](const SuiteReading& one) { return one.total_s; });
    const double all = *behind + total.value_or(0);
    if (*behind <= *alone || *n_behind > kFewer * *n_alone || *behind < kAccounts * all) return {};
    return ShownMechanism{
        Mechanism::setup_in_budget,
        fmt::format("setup takes {}, {} alone, and leaves {:.0f} iterations of "
                    "{:.0f}",
                    format_seconds(*behind), format_seconds(*alone), *n_behind, *n_alone)};
  }

  Shown in_cycles() {
    const auto work_alone = counter_of(alone_, "instructions");
    const auto work_behind = counter_of(behind_, "instructions");
    const auto cycles_alone = counter_of(alone_, "cycles"),
               cycles_behind = counter_of(behind_, "cycles");
    if (!work_alone || !work_behind || !cycles_alone || !cycles_behind) return {};
    const double work = *work_behind / *work_alone, cycles = *cycles_behind / *cycles_alone;
    looked_at_.push_back(fmt::format("instructions ({:.3g} times those alone)", work));
    const bool more = now_ > before_ ? cycles > kMoreCycles : cycles < 1 / kMoreCycles;
    if (std::fabs(work - 1) > kSameWork || !more) return {};
    std::string text =
        fmt::format("{:.3g} times the instructions take {:.3g} times the cycles", work, cycles);
    const auto misses_alone = counter_of(alone_, "miss"), misses = counter_of(behind_, "miss");
    if (misses_alone && misses)
      text += fmt::format(", with {:.3g} times the misses", *misses / *misses_alone);
    return ShownMechanism{Mechanism::cache, text};
  }

  ReadingSide alone_, behind_;
  std::optional<double> again_;
  double before_ = 0, now_ = 0, excess_ = 0;
  std::vector<std::string> looked_at_;
};

}  // namespace

ShownMechanism mechanism_of(ReadingSide alone, ReadingSide behind, std::optional<double> again_s) {
  return MechanismSearch(alone, behind, again_s).answer();
}

}  // namespace assay::experiment
