// SPDX-License-Identifier: Apache-2.0
#include "report/reproduce.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "model/words.hpp"

namespace assay::report {
namespace {

using Words = std::vector<std::string>;

std::string number(double value) { return fmt::format("{}", value); }

void option(Words& words, const char* name, const std::string& value) {
  if (!value.empty()) words.insert(words.end(), {name, value});
}

void flag(Words& words, const char* name, bool on) {
  if (on) words.push_back(name);
}

void rule_options(Words& words, const Plan& plan) {
  const Plan defaults;
  option(words, "--name", plan.name);
  words.insert(words.end(), {"--seed", fmt::format("{}", plan.seed)});
  if (plan.tolerance != defaults.tolerance)
    option(words, "--tolerance", number(plan.tolerance * 100) + "%");
  if (plan.kind == PlanKind::sessions)
    option(words, "--sessions", fmt::format("{}", plan.runs));
  else if (plan.max_runs != defaults.max_runs)
    option(words, "--max-runs", fmt::format("{}", plan.max_runs));
  if (plan.time_budget_s != defaults.time_budget_s)
    option(words, "--time-budget", number(plan.time_budget_s) + "s");
  flag(words, "--tails", plan.tails);
  flag(words, "--control", plan.control.has_value());
}

// NAME[UNIT,DIRECTION]=SOURCE: the unit that the user gave stands in front of the stored source.
std::string as_typed(const Metric& metric) {
  std::string unit, source = metric.source;
  if (const auto close = source.find(']'); source.starts_with('[') && close != std::string::npos) {
    unit = source.substr(1, close - 1) + ",";
    source.erase(0, close + 1);
  }
  return fmt::format("{}[{}{}]={}", metric.name, unit, to_word(metric.better), source);
}

void metric_options(Words& words, const Plan& plan) {
  std::string gates;
  for (const Metric& metric : plan.metrics) {
    if (metric.gating) gates += (gates.empty() ? "" : ",") + metric.name;
    if (metric.origin == MetricOrigin::output) option(words, "--metric", as_typed(metric));
  }
  if (!gates.empty() && gates != "wall,cpu") option(words, "--gate", gates);
}

void run_options(Words& words, const RunOptions& run) {
  if (run.timeout_s > 0) option(words, "--timeout", number(run.timeout_s) + "s");
  if (run.cooldown_s > 0) option(words, "--cooldown", number(run.cooldown_s) + "s");
  flag(words, "--ignore-exit", run.ignore_exit);
  flag(words, "--line-buffered", run.line_buffered);
  flag(words, "--isolate", run.isolate);
  option(words, "--pin", run.pin);
  flag(words, "--exact", run.exact);
}

void subject_options(Words& words, const Plan& plan) {
  const Subject& a = plan.arms.front();
  option(words, "--setup", a.setup);
  option(words, "--prepare", a.prepare);
  option(words, "--conclude", a.conclude);
  option(words, "--cleanup", a.cleanup);
  option(words, "--input", a.input);
  const Subject* b = plan.arms.size() > 1 ? &plan.arms[1] : &a;
  for (const auto& [name, value] : a.env) option(words, "--env-a", name + "=" + value);
  for (const auto& [name, value] : b->env)
    if (b != &a) option(words, "--env-b", name + "=" + value);
  // A built revision runs in its worktree inside the store, which no user names.
  if (!a.build) option(words, "--cwd-a", a.cwd);
  if (b != &a && !b->build) option(words, "--cwd-b", b->cwd);
}

}  // namespace

std::vector<std::string> reproduce_words(const Plan& plan) {
  if (plan.design) {
    if (plan.design->asked.empty()) return {};
    Words again = {"assay", std::string(to_word(plan.kind)), "--seed",
                   fmt::format("{}", plan.seed)};
    again.insert(again.end(), plan.design->asked.begin(), plan.design->asked.end());
    return again;
  }
  Words words = {"assay", "compare"};
  rule_options(words, plan);
  metric_options(words, plan);
  run_options(words, plan.run);
  if (plan.arms.empty()) return words;
  subject_options(words, plan);
  const Subject& baseline = plan.arms.front();
  if (baseline.build && plan.arms.size() > 1 && plan.arms[1].build) {
    option(words, "--baseline-rev", baseline.build->revision);
    option(words, "--candidate-rev", plan.arms[1].build->revision);
    option(words, "--build", baseline.build->command);
    words.push_back("--");
    words.insert(words.end(), baseline.argv.begin(), baseline.argv.end());
    return words;
  }
  for (std::size_t arm = 0; arm < plan.arms.size(); ++arm)
    if (plan.control != arm) words.push_back(join_command(plan.arms[arm].argv));
  return words;
}

}  // namespace assay::report
