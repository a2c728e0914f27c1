// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include "cli/design_options.hpp"
#include "cli/plan_options.hpp"

namespace assay::cli {

Result<int> run_measure(const Arguments& arguments, Terminal& terminal) {
  Plan plan{.kind = PlanKind::measure};
  plan.name = arguments.value("name").value_or("");
  auto subject = only_subject(arguments);
  if (!subject) return fail(subject.error());
  plan.arms = {std::move(*subject)};
  plan.id_for_order = plan.arms[0].label;
  const auto runs = arguments.uint("runs", 1, 1'000'000);
  const auto budget = arguments.duration("time-budget");
  const auto seed = seed_of(arguments);
  auto options = run_options_of(arguments);
  auto metrics = metrics_of(
      arguments, {"wall", "cpu", "user", "sys", "peak_mem", "tree_mem", "page_faults"}, {});
  if (!runs) return fail(runs.error());
  if (!budget) return fail(budget.error());
  if (!seed) return fail(seed.error());
  if (!options) return fail(options.error());
  if (!metrics) return fail(metrics.error());
  plan.runs = static_cast<std::uint32_t>(runs->value_or(30));
  plan.time_budget_s = budget->value_or(600);
  plan.seed = *seed;
  plan.run = *options;
  plan.metrics = std::move(*metrics);
  for (const std::string& command : arguments.positionals)
    if (const std::string doubt = unexpanded(command, arguments); !doubt.empty())
      terminal.warn(doubt);
  return run_or_dry_run(std::move(plan), arguments, terminal);
}

}  // namespace assay::cli
