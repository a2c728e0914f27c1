// SPDX-License-Identifier: Apache-2.0
// Which commands a file of plans may have, and what each of their tables may hold: read off the
// option tables, so that a new option of a command is one of its plans.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/flags.hpp"
#include "plan/plan.hpp"

namespace assay::cli {

// compare, sweep, ablate, bisect, timeline, measure, calibrate.
std::vector<plan::TableRules> plan_tables();

// The command line that a plan stands for, parsed as if it had been typed. `globals`: --store,
// --quiet and the like are taken over. Errors begin with the place of the plan's table.
Result<Arguments> arguments_of(const plan::NamedPlan& plan, const Arguments& globals);

// The error with the plan's place in front: "plan.toml:3:10: compare encode: ...".
Error at_plan(const Error& error, const plan::NamedPlan& plan);

}  // namespace assay::cli
