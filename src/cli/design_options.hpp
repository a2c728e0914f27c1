// SPDX-License-Identifier: Apache-2.0
// What sweep, ablate, bisect and timeline share: their options, the parts of a Plan that come from
// them, and --dry-run.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/flags.hpp"
#include "cli/terminal.hpp"
#include "model/plan.hpp"

namespace assay::cli {

// --gate, --metric, --tolerance, --time-budget, --build, --build-timeout, the run options but
// --exact's pilot, --name, --json, --markdown, --html, --strict, --dry-run.
std::vector<Flag> design_flags();

// A plan of `kind` without arms and design: metrics with one gate (default wall) and peak memory,
// tolerance, budget, run options, seed, name. Errors: two gates, ...
Result<Plan> design_plan(PlanKind kind, const Arguments& arguments);

// The folder where assay runs, for BuildSpec::repository.
std::string current_folder();

// Built from --rev (HEAD unless given) in its own tree, with --build.
Result<BuildSpec> build_of(const Arguments& arguments);

// Says of words of the commands that only a shell would give a meaning to.
void warn_of_unexpanded(const Arguments& arguments, Terminal& terminal);

// --build-timeout in seconds.
Result<double> build_timeout_of(const Arguments& arguments);

// Says that uncommitted changes are in no revision, when there are any.
void warn_of_dirty_tree(const Plan& plan, Terminal& terminal);

// Checks the plan, then prints what would be run with --dry-run, else runs it and reports.
Result<int> run_or_dry_run(Plan plan, const Arguments& arguments, Terminal& terminal);

}  // namespace assay::cli
