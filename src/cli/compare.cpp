// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>

#include "cli/commands.hpp"
#include "cli/design_options.hpp"
#include "cli/named_plan.hpp"
#include "cli/plan_options.hpp"
#include "cli/store_access.hpp"
#include "lab/copies.hpp"
#include "lab/subjects.hpp"
#include "report/reproduce.hpp"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

// `compare A B ...`: every word a whole command.
Result<std::vector<Subject>> arms_of_commands(const Arguments& arguments) {
  std::vector<Subject> arms;
  for (const std::string& command : arguments.positionals) {
    auto subject = subject_of(command, arguments);
    if (!subject) return fail(subject.error());
    arms.push_back(std::move(*subject));
  }
  if (arms.size() == 1)
    return fail("one command is given, and a comparison needs a baseline and a candidate", {},
                "assay compare './old' './new'; for one command alone: assay measure './old'");
  if (arms.empty())
    return fail("no command was given", {},
                "assay compare './old --flag' './new --flag': each command quoted as one word");
  return arms;
}

// `compare --baseline-rev R --candidate-rev R ... -- CMD`: one command on several revisions.
Result<std::vector<Subject>> arms_of_revisions(const Arguments& arguments) {
  return subjects_of_revisions(
      arguments, arguments.positionals.empty(),
      "assay compare --baseline-rev main --candidate-rev HEAD --build 'make' -- ./bench");
}

Result<void> apply_sides(const Arguments& arguments, std::vector<Subject>& arms) {
  const auto env_a = arguments.assignments("env-a");
  if (!env_a) return fail(env_a.error());
  const auto env_b = arguments.assignments("env-b");
  if (!env_b) return fail(env_b.error());
  for (std::size_t i = 0; i < arms.size(); ++i) {
    const auto& env = i == 0 ? *env_a : *env_b;
    arms[i].env.insert(arms[i].env.end(), env.begin(), env.end());
    if (const auto cwd = arguments.value(i == 0 ? "cwd-a" : "cwd-b"))
      (arms[i].build ? arms[i].build->repository : arms[i].cwd) = absolute(*cwd);
  }
  const auto names = arguments.values("name");
  if (names.size() > 1) {
    if (names.size() != arms.size())
      return fail(
          fmt::format("--name is given {} times for {} commands", names.size(), arms.size()), {},
          "once for the whole, or once for each command in order");
    for (std::size_t i = 0; i < arms.size(); ++i) arms[i].label = names[i];
  }
  return {};
}

Result<std::vector<std::string>> gates_of(const Arguments& arguments) {
  if (!arguments.has("gate"))
    return arguments.has("exact") ? std::vector<std::string>{"instructions"}
                                  : std::vector<std::string>{"wall", "cpu"};
  auto gates = arguments.list("gate");
  if (gates.empty()) return fail("--gate names no metric", {}, "such as --gate wall,cpu");
  return gates;
}

Result<void> apply_numbers(const Arguments& arguments, Plan& plan) {
  const auto tolerance = arguments.fraction("tolerance");
  if (!tolerance) return fail(tolerance.error());
  const auto budget = arguments.duration("time-budget");
  if (!budget) return fail(budget.error());
  const auto runs = arguments.uint("max-runs", 6, 900);
  if (!runs) return fail(runs.error());
  const auto sessions = arguments.uint("sessions", 3, 1000);
  if (!sessions) return fail(sessions.error());
  plan.tolerance = tolerance->value_or(plan.tolerance);
  plan.time_budget_s = budget->value_or(plan.time_budget_s);
  plan.max_runs = static_cast<std::uint32_t>(runs->value_or(plan.max_runs));
  plan.tails = arguments.has("tails");
  if (*sessions) {
    plan.kind = PlanKind::sessions;
    plan.runs = static_cast<std::uint32_t>(**sessions);
  }
  return {};
}

// The control arm: a copy of the baseline's executable under another path.
Result<void> add_control(const Arguments& arguments, Plan& plan) {
  if (!arguments.has("control")) return {};
  if (plan.kind == PlanKind::sessions || plan.run.exact)
    return fail("--control goes with the standard comparison only, not with --sessions or --exact");
  const auto store = store_path(arguments);
  if (!store) return fail(store.error());
  if (arguments.has("dry-run")) {
    plan.control = static_cast<std::uint32_t>(plan.arms.size());
    plan.arms.push_back(plan.arms[0]);
    plan.arms.back().label += " (control)";
    return {};
  }
  auto copy =
      lab::copy_of(plan.arms[0], (fs::path(*store).parent_path() / lab::kControlFolder).string(),
                   fmt::format("copy-{:x}", plan.seed));
  if (!copy) return fail(copy.error());
  copy->label = plan.arms[0].label + " (control)";
  plan.control = static_cast<std::uint32_t>(plan.arms.size());
  plan.arms.push_back(std::move(*copy));
  return {};
}

Result<Plan> plan_of(const Arguments& arguments) {
  Plan plan;
  const bool by_revision = arguments.has("baseline-rev") || arguments.has("candidate-rev");
  auto arms = by_revision ? arms_of_revisions(arguments) : arms_of_commands(arguments);
  if (!arms) return fail(arms.error());
  if (auto done = apply_sides(arguments, *arms); !done) return fail(done.error());
  plan.arms = std::move(*arms);
  const auto names = arguments.values("name");
  if (names.size() == 1) plan.name = names.front();
  if (auto done = apply_numbers(arguments, plan); !done) return fail(done.error());
  auto options = run_options_of(arguments);
  if (!options) return fail(options.error());
  plan.run = *options;
  auto events = events_of(arguments);
  if (!events) return fail(events.error());
  plan.events = std::move(*events);
  const auto gates = gates_of(arguments);
  if (!gates) return fail(gates.error());
  auto metrics = metrics_of(arguments, {"wall", "cpu", "peak_mem"}, *gates);
  if (!metrics) return fail(metrics.error());
  plan.metrics = std::move(*metrics);
  const auto seed = seed_of(arguments);
  if (!seed) return fail(seed.error());
  plan.seed = *seed;
  plan.id_for_order = plan.name;
  for (const Subject& subject : plan.arms) plan.id_for_order += '\n' + subject.label;
  if (auto done = add_control(arguments, plan); !done) return fail(done.error());
  return plan;
}

}  // namespace

Result<int> run_compare(const Arguments& given, Terminal& terminal) {
  if (given.has("imported")) return run_compare_imported(given, terminal);
  const auto arguments = with_named_plan(given);
  if (!arguments) return fail(arguments.error());
  auto plan = plan_of(*arguments);
  if (!plan) return fail(plan.error());
  for (const std::string& command : arguments->positionals)
    if (const std::string doubt = unexpanded(command, *arguments); !doubt.empty())
      terminal.warn(doubt);
  return run_or_dry_run(std::move(*plan), *arguments, terminal);
}

}  // namespace assay::cli
