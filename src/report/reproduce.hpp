// SPDX-License-Identifier: Apache-2.0
// The command line that asks the same question again.
#pragma once

#include <string>
#include <vector>

#include "model/plan.hpp"

namespace assay::report {

// The words of `assay compare ... --seed N A B`: every option of the plan that is not the default.
// join_command (base/text) makes a shell line of them. A control arm becomes --control. Experiments
// over many arms: the words as they were typed (Design::asked), with the seed; empty when unknown.
std::vector<std::string> reproduce_words(const Plan& plan);

}  // namespace assay::report
