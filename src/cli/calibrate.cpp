// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>

#include "cli/commands.hpp"
#include "cli/design_options.hpp"
#include "cli/interrupt.hpp"
#include "cli/plan_options.hpp"
#include "cli/store_access.hpp"
#include "lab/copies.hpp"

namespace assay::cli {
namespace {

// Arm 0 and one copy for each comparison.
Result<std::vector<Subject>> arms_of(const Arguments& arguments, std::uint32_t comparisons,
                                     Terminal& terminal) {
  auto subject = only_subject(arguments);
  if (!subject) return fail(subject.error());
  if (subject->argv.empty()) return fail("the command is empty");
  if (arguments.has("dry-run")) return std::vector<Subject>(1 + comparisons, *subject);
  const auto store = store_path(arguments);
  if (!store) return fail(store.error());
  const std::string folder =
      (std::filesystem::path(*store).parent_path() / lab::kCalibrateFolder).string();
  const auto relink = arguments.value("relink");
  if (!relink) return lab::identical_copies(*subject, folder, comparisons);
  terminal.note(fmt::format("laying '{}' out anew {} times", subject->argv.front(), comparisons));
  return lab::relinked_copies(*subject, folder, comparisons, *relink, watch_interrupts());
}

}  // namespace

Result<int> run_calibrate(const Arguments& arguments, Terminal& terminal) {
  Plan plan{.kind = PlanKind::calibrate};
  const auto comparisons = arguments.uint("comparisons", 5, 50);
  if (!comparisons) return fail(comparisons.error());
  plan.runs = static_cast<std::uint32_t>(comparisons->value_or(5));
  auto options = run_options_of(arguments);
  if (!options) return fail(options.error());
  plan.run = *options;
  auto metrics = metrics_of(arguments, {"wall", "cpu", "peak_mem"}, {});
  if (!metrics) return fail(metrics.error());
  plan.metrics = std::move(*metrics);
  const auto budget = arguments.duration("time-budget");
  if (!budget) return fail(budget.error());
  plan.time_budget_s = budget->value_or(0);
  const auto seed = seed_of(arguments);
  if (!seed) return fail(seed.error());
  plan.seed = *seed;
  auto arms = arms_of(arguments, plan.runs, terminal);
  if (!arms) return fail(arms.error());
  plan.arms = std::move(*arms);
  plan.id_for_order = plan.arms[0].label;
  return run_or_dry_run(std::move(plan), arguments, terminal);
}

}  // namespace assay::cli
