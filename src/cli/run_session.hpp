// SPDX-License-Identifier: Apache-2.0
// Experiments as commands: the plan runs with its price and its progress on stderr, the report is
// printed, and the conclusion becomes an exit code. compare, measure, calibrate and resume end
// here.
#pragma once

#include <string>

#include "base/result.hpp"
#include "cli/flags.hpp"
#include "cli/terminal.hpp"
#include "model/plan.hpp"

namespace assay::cli {

Result<int> run_and_report(Plan plan, const Arguments& arguments, Terminal& terminal);

// `id` may be empty: the newest record that can be resumed.
Result<int> resume_and_report(const std::string& id, const Arguments& arguments,
                              Terminal& terminal);

}  // namespace assay::cli
