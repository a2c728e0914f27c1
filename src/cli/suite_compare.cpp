// SPDX-License-Identifier: Apache-2.0
// `assay suite compare`: two builds or two revisions of one suite.
#include "base/text.hpp"
#include "cli/interrupt.hpp"
#include "cli/plan_options.hpp"
#include "cli/shared_flags.hpp"
#include "cli/suite_plan.hpp"
#include "suite/list.hpp"

namespace assay::cli {
namespace {

constexpr std::string_view kTwoSuites =
    "assay suite compare './old' './new', each quoted as one word, the baseline first";

Result<std::vector<Subject>> compared_suites(const Arguments& arguments) {
  const std::size_t commands = arguments.positionals.size() - 1;
  if (arguments.has("baseline-rev") || arguments.has("candidate-rev")) {
    auto arms = subjects_of_revisions(
        arguments, commands == 0,
        "assay suite compare --baseline-rev main --candidate-rev HEAD --build 'make' -- ./bench");
    if (arms && arms->size() != 2)
      return fail("suite compare takes one --candidate-rev", {},
                  "compare them one after the other");
    return arms;
  }
  if (commands != 2 || !arguments.trailing.empty())
    return fail("suite compare needs two commands", {}, std::string(kTwoSuites));
  std::vector<Subject> arms;
  for (std::size_t i = 1; i <= 2; ++i) {
    auto subject = suite_subject(arguments.positionals[i], arguments);
    if (!subject) return fail(subject.error());
    arms.push_back(std::move(*subject));
  }
  return arms;
}

}  // namespace

std::vector<Flag> suite_compare_flags() {
  return join_flags(
      {{tolerance_flag(),
        {.name = "max-runs",
         .value = "N",
         .help = "compare: at most this many runs a side of each unit, up to 900",
         .fallback = "198",
         .group = "Deciding"},
        {.name = "control",
         .value = "PATTERN",
         .help = "compare: benchmarks that the change cannot reach",
         .details = "They must not move. When one does, the sides differ in something else: all "
                    "verdicts are withheld and the exit status is 3.",
         .group = "Deciding",
         .repeatable = true,
         .common = true},
        {.name = "tails",
         .help = "compare: demand 96 runs a side before EQUIVALENT",
         .group = "Deciding"}},
       suite_revision_flags()});
}

Result<int> suite_compare(const Arguments& arguments, Terminal& terminal) {
  const auto tolerance = arguments.fraction("tolerance");
  if (!tolerance) return fail(tolerance.error());
  const auto runs = arguments.uint("max-runs", 6, 900);
  if (!runs) return fail(runs.error());
  auto arms = compared_suites(arguments);
  if (!arms) return fail(arms.error());
  auto plan = suite_plan(PlanKind::suite_compare, std::move(*arms), arguments, terminal);
  if (!plan) return fail(plan.error());
  plan->tolerance = tolerance->value_or(plan->tolerance);
  plan->max_runs = static_cast<std::uint32_t>(runs->value_or(plan->max_runs));
  plan->tails = arguments.has("tails");
  if (!plan->arms[1].build) {
    const auto listed = suite::list_more_units(plan->arms[1], *plan->suite, &watch_interrupts());
    if (!listed) return fail(listed.error());
    if (!*listed) return fail("interrupted while listing the suite", {}, "nothing was measured");
  }
  return run_suite_plan(std::move(*plan), arguments, terminal);
}

}  // namespace assay::cli
