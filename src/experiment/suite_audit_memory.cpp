// SPDX-License-Identifier: Apache-2.0
#include "experiment/suite_audit_memory.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "stats/order.hpp"

namespace assay::experiment {
namespace {

constexpr double kFills = 0.8;  // of what is held in front of the unit that crosses

// What one run tells of one unit in it.
struct HeldMemory {
  std::optional<double> before, behind;
};

HeldMemory held_of(const Trial& trial, std::size_t position) {
  HeldMemory held;
  for (const Measurement& one : trial.measurements) {
    if (one.position != position) continue;
    if (!held.before) held.before = one.memory_before;
    if (one.memory_after) held.behind = one.memory_after;
  }
  return held;
}

struct MemorySamples {
  std::vector<double> retained, behind, peak, transient;
};

std::optional<std::uint32_t> first_over_budget(const std::vector<UnitMemory>& memory,
                                               double budget) {
  for (const UnitMemory& one : memory)
    if (one.peak.value_or(0) > budget ||
        (one.held && *one.held + one.transient.value_or(0) > budget))
      return one.unit;
  return std::nullopt;
}

// The largest in front of the one that crosses, until they are most of it.
void mark_fillers(std::vector<UnitMemory>& memory, std::uint32_t crosses) {
  const bool by_retained =
      std::ranges::any_of(memory, [](const UnitMemory& one) { return one.retained.has_value(); });
  const auto size = [&](const UnitMemory* one) {
    return std::max(0.0, (by_retained ? one->retained : one->peak).value_or(0));
  };
  std::vector<UnitMemory*> front;
  double sum = 0;
  for (UnitMemory& one : memory) {
    if (one.unit > crosses) break;
    front.push_back(&one);
    sum += size(&one);
  }
  std::ranges::stable_sort(front, std::greater<>(), size);
  double filled = 0;
  for (UnitMemory* one : front) {
    if (size(one) <= 0 || filled >= kFills * sum) break;
    one->fills = true;
    filled += size(one);
  }
}

}  // namespace

std::optional<double> peak_of(const Plan& plan, const Trial& trial) {
  for (const std::string_view name : {"cgroup_mem", "peak_mem", "tree_mem"})
    for (std::size_t m = 0; m < plan.metrics.size() && m < trial.values.size(); ++m)
      if (plan.metrics[m].name == name && trial.values[m]) return trial.values[m];
  std::optional<double> most;
  for (const MemorySample& sample : trial.memory)
    most = std::max(most.value_or(0), static_cast<double>(sample.tree_bytes));
  return most;
}

std::vector<UnitMemory> unit_memory(const Plan& plan, std::span<const Trial* const> alone,
                                    std::span<const Trial* const> suite,
                                    std::optional<std::uint32_t> crosses_at) {
  std::vector<MemorySamples> samples(plan.suite->units.size());
  for (const Trial* trial : suite)
    for (std::size_t i = 0; i < trial->units.size(); ++i) {
      const HeldMemory held = held_of(*trial, i);
      MemorySamples& of = samples[trial->units[i]];
      if (held.before && held.behind) of.retained.push_back(*held.behind - *held.before);
      if (held.behind) of.behind.push_back(*held.behind);
    }
  for (const Trial* trial : alone) {
    const auto peak = peak_of(plan, *trial);
    if (trial->units.size() != 1 || !peak) continue;
    MemorySamples& of = samples[trial->units.front()];
    of.peak.push_back(*peak);
    const HeldMemory held = held_of(*trial, 0);
    if (held.before && held.behind)
      of.transient.push_back(std::max(0.0, *peak - std::max(*held.before, *held.behind)));
  }
  std::vector<UnitMemory> memory;
  for (std::uint32_t unit = 0; unit < samples.size(); ++unit)
    memory.push_back({.unit = unit,
                      .retained = stats::median(samples[unit].retained),
                      .transient = stats::median(samples[unit].transient),
                      .peak = stats::median(samples[unit].peak),
                      .held = stats::median(samples[unit].behind)});
  if (!plan.suite->memory_budget) return memory;
  const auto crosses =
      crosses_at ? crosses_at : first_over_budget(memory, *plan.suite->memory_budget);
  if (!crosses) return memory;
  memory[*crosses].crosses = true;
  mark_fillers(memory, *crosses);
  return memory;
}

}  // namespace assay::experiment
