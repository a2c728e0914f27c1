// SPDX-License-Identifier: Apache-2.0
#include "experiment/simulate_paths.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "experiment/experiment.hpp"
#include "verdict/exact.hpp"

namespace assay::experiment {
namespace {

// --- the plan as `assay compare` makes it, and changes to it

Metric time_metric(std::string name) {
  return {.name = std::move(name), .unit = "s", .gating = true};
}

Subject command(std::string label) { return {.label = label, .argv = {label}}; }

Scenario shipped(const ScenarioOptions& options) {
  Scenario scenario;
  Plan& plan = scenario.plan;
  plan.arms = {command("A"), command("B")};
  plan.metrics = {time_metric("wall"), time_metric("cpu"), Metric{.name = "peak_mem", .unit = "B"}};
  plan.tolerance = options.tolerance;
  plan.max_runs = options.max_runs;
  plan.time_budget_s = 0;
  plan.id_for_order = "simulate";
  scenario.channels = {Channel::wall, Channel::cpu, Channel::memory};
  return scenario;
}

void set_gate(Scenario& scenario, std::string_view gate) {
  for (Metric& metric : scenario.plan.metrics) metric.gating = metric.name == gate;
}

void add_metric(Scenario& scenario, Metric metric, Channel channel) {
  metric.origin = MetricOrigin::output;
  scenario.plan.metrics.push_back(std::move(metric));
  scenario.channels.push_back(channel);
}

void only_metric(Scenario& scenario, Metric metric, Channel channel) {
  scenario.plan.metrics = {std::move(metric)};
  scenario.channels = {channel};
}

// Every metric of arm 1 has the scenario's ratio; of arms that came in later, 1.
void set_truth(Scenario& scenario) {
  scenario.worse.assign(scenario.plan.arms.size(),
                        std::vector<double>(scenario.plan.metrics.size(), 1.0));
  std::fill(scenario.worse[1].begin(), scenario.worse[1].end(), scenario.ratio);
}

// --- the paths: what each makes of the shipped scenario

using Scenarios = std::vector<Scenario>;

Scenarios gates(Scenario s) { return {std::move(s)}; }

Scenarios single_gate(Scenario s) {
  set_gate(s, "cpu");
  return {std::move(s)};
}

Scenarios own_metric(Scenario s) {
  add_metric(s, {.name = "latency", .unit = "s"}, Channel::wall);
  set_truth(s);
  return {std::move(s)};
}

Scenarios higher_is_better(Scenario s) {
  add_metric(s, {.name = "rate", .unit = "1/s", .better = Better::higher}, Channel::rate);
  set_gate(s, "rate");
  set_truth(s);
  return {std::move(s)};
}

Scenarios waiting(Scenario s) {
  s.worse[1][1] = s.worse[1][2] = 1;
  return {std::move(s)};
}

Scenarios several_candidates(Scenario s) {
  s.plan.arms.push_back(command("C"));
  set_truth(s);
  return {std::move(s)};
}

Scenarios control_arm(Scenario s) {
  s.plan.control = 2;
  s.plan.arms.push_back(command("A'"));
  set_truth(s);
  Scenario moved = s;
  s.detail = "A' equal";
  moved.detail = "A' +5 %";
  std::fill(moved.worse[2].begin(), moved.worse[2].end(), 1.05);
  return {std::move(s), std::move(moved)};
}

Scenarios tails(Scenario s) {
  s.plan.tails = true;
  return {std::move(s)};
}

Scenarios time_budget(Scenario s) {
  s.plan.time_budget_s = 600;
  s.run_seconds = 5;
  return {std::move(s)};
}

// One of four stages has the ratio, and the whole a quarter of it.
Scenarios stage_family(Scenario s) {
  s.plan.events = EventsPlan{.source = "stdout"};
  s.stages = {s.ratio, 1, 1, 1};
  std::fill(s.worse[1].begin(), s.worse[1].end(), 1 + (s.ratio - 1) / 4);
  return {std::move(s)};
}

Scenarios noise_floor(Scenario s) {
  s.layout_sd = 0.005;
  Scenario calibrated = s;
  s.detail = "layout 0.5 %, no floor";
  calibrated.detail = "layout 0.5 %, floor measured";
  calibrated.calibrated = true;
  return {std::move(s), std::move(calibrated)};
}

Scenarios reruns(Scenario s) {
  s.times = 5;
  return {std::move(s)};
}

Scenarios rejudged(Scenario s) {
  s.rejudged_at = s.plan.tolerance / 4;
  s.tolerance = *s.rejudged_at;
  s.detail = fmt::format("at {:g} %", 100 * *s.rejudged_at);
  return {std::move(s)};
}

Scenarios sessions(Scenario s) {
  s.plan.kind = PlanKind::sessions;
  Scenarios all;
  for (const std::uint32_t count : {5u, 6u, 8u}) {
    s.plan.runs = count;
    s.detail = fmt::format("{} a side", count);
    all.push_back(s);
    Scenario one_gate = s;
    one_gate.detail += ", one gate";
    only_metric(one_gate, time_metric("wall"), Channel::cpu);
    set_truth(one_gate);
    all.push_back(std::move(one_gate));
  }
  return all;
}

Scenarios imported_turns(Scenario s) {
  s.plan.kind = PlanKind::sessions;
  s.imported = true;
  only_metric(s, time_metric("time"), Channel::cpu);
  set_truth(s);
  Scenarios all;
  for (const std::uint32_t count : {3u, 6u, 12u}) {
    s.plan.runs = count;
    s.detail = fmt::format("{} files a side", count);
    all.push_back(s);
  }
  return all;
}

Scenarios exact_counters(Scenario s) {
  s.plan.run.exact = true;
  only_metric(s, {.name = "instructions", .unit = "1", .gating = true}, Channel::cpu);
  set_truth(s);
  if (s.noise.shape == NoiseShape::lognormal && s.noise.sd == 0)
    s.tolerance = verdict::kExactTolerance;
  return {std::move(s)};
}

struct Path {
  SimulatedPath shown;
  Scenarios (*variants)(Scenario);
  std::vector<std::string> noises = {};  // unless told otherwise; empty = all models
  std::vector<double> ratios = {1, 1.01, 1.02, 1.03, 1.05, 1.1};
};

const std::vector<Path>& all_paths() {
  static const std::vector<std::string> kFew = {"ln3", "drift", "cpu_aa_shared"};
  static const std::vector<double> kTwo = {1, 1.05};
  static const std::vector<Path> kPaths = {
      {{"gates", "`assay compare A B`: wall and cpu gate, peak_mem is judged beside them"}, gates},
      {{"single", "one gate, `--gate cpu`; the other metrics are judged beside it"},
       single_gate,
       kFew,
       kTwo},
      {{"own", "an own metric, `--metric latency=...`, judged and not gating"},
       own_metric,
       kFew,
       kTwo},
      {{"higher", "a gate where more is better, `--gate rate`; the ratio is that of its inverse"},
       higher_is_better,
       kFew,
       {1, 1.05, 0.95}},
      {{"waiting", "the candidate waits: wall has the ratio, cpu and peak_mem are equal"},
       waiting,
       {"ln3", "cpu_aa_shared"},
       {1.05, 1.1}},
      {{"candidates", "two candidates: B has the ratio, C equals A"},
       several_candidates,
       kFew,
       kTwo},
      {{"control", "`--control`: a copy A' of the baseline; verdicts are withheld when it moves"},
       control_arm,
       kFew,
       kTwo},
      {{"tails", "`--tails`: 96 runs a side before EQUIVALENT"}, tails, kFew, kTwo},
      {{"budget", "the time budget of 10 minutes with runs of 5 s"}, time_budget, kFew, kTwo},
      {{"stages",
        "`--events`: the first of four stages has the ratio, wall and cpu a quarter of it"},
       stage_family,
       kFew,
       {1, 1.05, 1.1}},
      {{"floor", "every build has an offset of its own; with and without `assay calibrate` before"},
       noise_floor,
       {"ln1", "cpu_aa_shared"},
       {1, 1.02, 1.05}},
      {{"reruns", "the same comparison made five times within a week"}, reruns, kFew, kTwo},
      {{"rejudge", "`assay rejudge` of a finished comparison at a quarter of the tolerance"},
       rejudged,
       kFew,
       kTwo},
      {{"sessions", "`--sessions K`: the noise is that between sessions"},
       sessions,
       {"ln1", "ln1.5"},
       {1, 1.046}},
      {{"imported", "`--imported`: files of other tools that took turns, one process each"},
       imported_turns,
       {"ln1", "ln3", "drift", "cpu_aa_shared"},
       {1, 1.1}},
      {{"exact", "`--exact`: ln0 is a deterministic counter, the others are not"},
       exact_counters,
       {"ln0", "ln0.05", "levels"},
       {1, 1.0005, 1.002, 1.05}}};
  return kPaths;
}

Result<std::vector<const Path*>> choose_paths(const std::vector<std::string>& names) {
  std::vector<const Path*> chosen;
  if (names.empty()) return std::vector<const Path*>{&all_paths().front()};
  std::vector<std::string> known = {"all"};
  for (const Path& path : all_paths()) known.emplace_back(path.shown.name);
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const auto near = nearest(name, known);
    return fail(fmt::format("no path is called '{}'", printable(name)), {},
                near ? fmt::format("did you mean '{}'?", *near)
                     : fmt::format("there are {}", fmt::join(known, ", ")));
  }
  for (const Path& path : all_paths()) {
    const auto is_named = [&](const std::string& n) { return n == path.shown.name || n == "all"; };
    if (std::any_of(names.begin(), names.end(), is_named)) chosen.push_back(&path);
  }
  return chosen;
}

Result<std::vector<NoiseModel>> choose_noises(const std::vector<std::string>& names) {
  if (names.empty()) return std::vector(noise_models().begin(), noise_models().end());
  std::vector<NoiseModel> chosen;
  for (const std::string& name : names) {
    auto model = parse_noise(name);
    if (!model) return fail(model.error());
    chosen.push_back(std::move(*model));
  }
  return chosen;
}

}  // namespace

std::span<const SimulatedPath> simulated_paths() {
  static const std::vector<SimulatedPath> kShown = [] {
    std::vector<SimulatedPath> shown;
    for (const Path& path : all_paths()) shown.push_back(path.shown);
    return shown;
  }();
  return kShown;
}

Result<std::vector<Scenario>> make_scenarios(const ScenarioOptions& options) {
  for (const double ratio : options.ratios)
    if (!(ratio >= 0.01 && ratio <= 100))
      return fail(fmt::format("a true ratio lies between 0.01 and 100, not at {:g}", ratio), {},
                  "1.05 means that the candidate takes 5 % more");
  const auto paths = choose_paths(options.paths);
  if (!paths) return fail(paths.error());
  std::vector<Scenario> all;
  for (const Path* path : *paths) {
    const auto models = choose_noises(options.noises.empty() ? path->noises : options.noises);
    if (!models) return fail(models.error());
    for (const NoiseModel& model : *models) {
      for (const double ratio : options.ratios.empty() ? path->ratios : options.ratios) {
        Scenario base = shipped(options);
        base.path = path->shown.name;
        base.noise = model;
        base.ratio = ratio;
        base.tolerance = options.tolerance;
        set_truth(base);
        for (Scenario& scenario : path->variants(std::move(base))) {
          if (auto valid = check_plan(scenario.plan); !valid) return fail(valid.error());
          all.push_back(std::move(scenario));
        }
      }
    }
  }
  return all;
}

}  // namespace assay::experiment
