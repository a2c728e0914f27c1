// SPDX-License-Identifier: Apache-2.0
// `assay suite audit`: one suite, or two revisions of it.
#include "experiment/suite_audit.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "cli/interrupt.hpp"
#include "cli/plan_options.hpp"
#include "cli/shared_flags.hpp"
#include "cli/suite_plan.hpp"
#include "suite/list.hpp"

namespace assay::cli {
namespace {

constexpr std::uint64_t kLeastRepeats = 2, kMostRepeats = 50, kMostOrders = 50, kMostLimit = 1000;

Result<std::vector<Subject>> audited_suites(const Arguments& arguments) {
  if (arguments.has("baseline-rev") || arguments.has("candidate-rev")) {
    auto arms = subjects_of_revisions(
        arguments, arguments.positionals.size() == 1,
        "assay suite audit --baseline-rev main --candidate-rev HEAD --build 'make' -- ./bench");
    if (arms && arms->size() != 2)
      return fail("suite audit takes one --candidate-rev", {}, "audit them one after the other");
    return arms;
  }
  std::vector<Subject> arms;
  if (const auto baseline = arguments.value("baseline")) {
    auto older = suite_subject(*baseline, arguments);
    if (!older) return fail(older.error());
    arms.push_back(std::move(*older));
  }
  auto subject = suite_subject(arguments);
  if (!subject) return fail(subject.error());
  arms.push_back(std::move(*subject));
  return arms;
}

// What it will take, as far as it is known before the first run.
std::string price_of(const Plan& plan) {
  const SuitePlan& suite = *plan.suite;
  if (suite.units.empty()) return {};
  const auto arms = static_cast<std::uint64_t>(plan.arms.size());
  const bool has_order = suite.joins && suite.units.size() > 1;
  std::string text =
      fmt::format("{} processes of one unit each", arms * plan.runs * suite.units.size());
  if (has_order)
    text += fmt::format(" and {} of the whole suite",
                        arms * plan.runs + (suite.reorders ? 1 + suite.random_orders : 0));
  if (suite.repeats) text += fmt::format(", {} of a unit twice", suite.units.size());
  if (has_order)
    text += fmt::format(
        "; then, where something is found, a search of {:g} times the suite's own "
        "time at most (usually about 3)",
        suite.search_limit);
  return text;
}

}  // namespace

std::vector<Flag> suite_audit_flags() {
  return join_flags({{{.name = "repeats",
                       .value = "N",
                       .help = "audit: runs of the suite, and of every unit alone, 2 to 50",
                       .fallback = "3",
                       .group = "Deciding"},
                      {.name = "random-orders",
                       .value = "N",
                       .help = "audit: shuffled orders to try beside the reversed one, 0 to 50",
                       .fallback = "2",
                       .group = "Deciding"},
                      {.name = "search-limit",
                       .value = "N",
                       .help = "audit: the search takes at most N times the suite's own time",
                       .details = "What is not found by then is said to be open. 1 to 1000.",
                       .fallback = "12",
                       .group = "Deciding"},
                      {.name = "baseline",
                       .value = "CMD",
                       .help = "audit: an older build of the suite: what moved since, and by what",
                       .group = "Sides",
                       .complete = Complete::command}},
                     suite_revision_flags()});
}

Result<int> suite_audit(const Arguments& arguments, Terminal& terminal) {
  const auto repeats = arguments.uint("repeats", kLeastRepeats, kMostRepeats);
  if (!repeats) return fail(repeats.error());
  const auto orders = arguments.uint("random-orders", 0, kMostOrders);
  if (!orders) return fail(orders.error());
  const auto limit = arguments.uint("search-limit", 1, kMostLimit);
  if (!limit) return fail(limit.error());
  auto arms = audited_suites(arguments);
  if (!arms) return fail(arms.error());
  auto plan = suite_plan(PlanKind::suite_audit, std::move(*arms), arguments, terminal);
  if (!plan) return fail(plan.error());
  plan->runs = static_cast<std::uint32_t>(repeats->value_or(experiment::kAuditRuns));
  if (*orders) plan->suite->random_orders = static_cast<std::uint32_t>(**orders);
  if (*limit) plan->suite->search_limit = static_cast<double>(**limit);
  if (plan->arms.size() > 1 && !plan->arms[1].build) {
    const auto listed = suite::list_more_units(plan->arms[1], *plan->suite, &watch_interrupts());
    if (!listed) return fail(listed.error());
    if (!*listed) return fail("interrupted while listing the suite", {}, "nothing was measured");
  }
  // The limit is for a unit, and most processes here run many.
  if (!arguments.has("timeout"))
    plan->run.timeout_s *= static_cast<double>(std::max<std::size_t>(1, plan->suite->units.size()));
  if (const std::string price = price_of(*plan); !price.empty())
    terminal.note("this takes " + price);
  return run_suite_plan(std::move(*plan), arguments, terminal);
}

}  // namespace assay::cli
