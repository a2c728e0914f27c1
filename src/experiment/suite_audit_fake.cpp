// SPDX-License-Identifier: Apache-2.0
#include "experiment/suite_audit_fake.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace assay::experiment {
namespace {

constexpr std::size_t kSamples = 40;

Measurement measured(const FakeSuite::Says& says, double noise) {
  Measurement one{.status = says.status};
  if (says.status != MeasurementStatus::ok) return one;
  one.value = says.value_s * noise;
  one.iterations = says.n;
  one.total_s = *one.value * says.n;
  if (says.setup_s > 0) one.setup_s = says.setup_s;
  if (says.gc_s > 0) one.gc_s = says.gc_s * says.n;
  one.facts = says.facts;
  if (says.first_extra_s > 0) {
    one.samples.assign(kSamples, says.value_s * noise);
    one.samples.front() += says.first_extra_s;
    one.iterations = static_cast<double>(kSamples);
    *one.value += says.first_extra_s / static_cast<double>(kSamples);
    one.total_s = *one.value * static_cast<double>(kSamples);
  }
  return one;
}

}  // namespace

Plan FakeSuite::plan() const {
  Plan plan;
  plan.kind = PlanKind::suite_audit;
  plan.seed = 1;
  plan.time_budget_s = 0;
  plan.runs = 3;
  plan.arms = {Subject{.label = "suite", .argv = {"suite"}}};
  plan.metrics = {Metric{.name = "wall", .unit = "s"}, Metric{.name = "peak_mem", .unit = "B"}};
  plan.id_for_order = "suite";
  plan.suite = SuitePlan{.adapter = "fake", .reorders = true, .repeats = true};
  for (std::uint32_t unit = 0; unit < units; ++unit)
    plan.suite->units.push_back({fmt::format("unit{}", unit), {fmt::format("unit{}/run", unit)}});
  return plan;
}

Trial FakeSuite::run(const Run& run, const std::function<double()>& noise) const {
  Trial trial{.arm = run.arm,
              .block = run.block,
              .slot = run.slot,
              .pad = run.pad,
              .warmup = run.warmup,
              .units = run.units};
  const double common = noise();  // of the process: where it lies in memory, who else runs
  double seconds = process_s, held = base_memory;
  for (std::size_t i = 0; i < run.units.size(); ++i) {
    Says says;
    for (const Change& change : changes) change(run.units[i], Front(run.units).first(i), says);
    Measurement one = measured(says, common * noise());
    one.position = static_cast<std::uint32_t>(i);
    one.id = fmt::format("unit{}/run", run.units[i]);
    if (says.retained != 0) {
      one.memory_before = held;
      held += says.retained;
      one.memory_after = held;
    }
    seconds += unit_s;
    trial.measurements.push_back(std::move(one));
  }
  trial.values = {seconds, held};
  trial.duration = std::chrono::nanoseconds(std::llround(1e9 * seconds));
  return trial;
}

FakeSuite::Change pollution(std::vector<std::uint32_t> polluters, std::uint32_t victim,
                            double factor, std::vector<std::uint32_t> cleaners) {
  return [=](std::uint32_t unit, FakeSuite::Front front, FakeSuite::Says& says) {
    if (unit != victim) return;
    std::size_t last = 0;
    for (const std::uint32_t one : polluters) {
      const auto at = std::ranges::find(front, one);
      if (at == front.end()) return;
      last = std::max(last, static_cast<std::size_t>(at - front.begin()));
    }
    for (const std::uint32_t one : cleaners)
      if (std::ranges::find(front.subspan(last), one) != front.end()) return;
    says.value_s *= factor;
  };
}

}  // namespace assay::experiment
