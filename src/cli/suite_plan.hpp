// SPDX-License-Identifier: Apache-2.0
// What the verbs of `assay suite` share: their options, the subject and its units, the Plan.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "cli/flags.hpp"
#include "cli/terminal.hpp"
#include "model/plan.hpp"

namespace assay::cli {

// --adapter, --unit-by, --only, --isolation, --memory-budget, and how processes are run and reports
// written; every verb takes them.
std::vector<Flag> suite_shared_flags();

// Builds of a suite by git revision, for the verbs that take two: --baseline-rev, --candidate-rev,
// --build.
std::vector<Flag> suite_revision_flags();

// The suite's SuitePlan without units: adapter (guessed from the command unless named), rules,
// unit_by, only, isolation, memory budget, controls (--control, for verbs that have it).
Result<SuitePlan> suite_of(const std::vector<std::string>& argv, const Arguments& arguments);

// The one suite of `run`, `audit` and `list`: the words behind the verb, the command behind `--`,
// or the command of the rules file.
Result<Subject> suite_subject(const Arguments& arguments);
// One word of the command line as a suite (compare: './old' './new').
Result<Subject> suite_subject(const std::string& command, const Arguments& arguments);

// A plan of `kind` over `arms`, its units as the first arm lists them (not when that is yet to be
// built: the session lists it then): suite, metrics (wall, cpu, peak_mem), seed, budget, run
// options, name. Says on `terminal` what was strange about the listing.
Result<Plan> suite_plan(PlanKind kind, std::vector<Subject> arms, const Arguments& arguments,
                        Terminal& terminal);

// "6 benchmarks", or that the tool tells them only when they run.
std::string listed_benchmarks(const SuitePlan& suite);

// With --dry-run what would be run, else runs and reports. The plan is checked first.
Result<int> run_suite_plan(Plan plan, const Arguments& arguments, Terminal& terminal);

// The verbs, each with the options that it takes beside the shared ones.
std::vector<Flag> suite_run_flags();
std::vector<Flag> suite_compare_flags();
std::vector<Flag> suite_audit_flags();
Result<int> suite_run(const Arguments& arguments, Terminal& terminal);
Result<int> suite_list(const Arguments& arguments, Terminal& terminal);
Result<int> suite_compare(const Arguments& arguments, Terminal& terminal);
Result<int> suite_audit(const Arguments& arguments, Terminal& terminal);

}  // namespace assay::cli
