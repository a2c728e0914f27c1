// SPDX-License-Identifier: Apache-2.0
// Which plans can be run and judged. Everybody who gets a plan from outside (a command line, a
// store that somebody edited) asks here first; behind it the rule meets no number that it must
// refuse.
#pragma once

#include "base/result.hpp"
#include "model/plan.hpp"

namespace assay {

// What is wrong with a plan before anything runs: empty commands, tolerance 0, unknown gates, ...
Result<void> check_plan(const Plan& plan);

}  // namespace assay
