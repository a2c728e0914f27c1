// SPDX-License-Identifier: Apache-2.0
// Whether the parts of a record fit together: every index within its list, every list as long as
// the list it belongs to. Behind these checks nobody has to test an index again. Errors are clauses
// such as "trial: arm 7 of 2".
#pragma once

#include "base/result.hpp"
#include "model/record.hpp"

namespace assay::history {

Result<void> check_plan_shape(const Plan& plan);
Result<void> check_entry_shape(const Plan& plan, const Entry& entry);
// `record` has its plan and all entries.
Result<void> check_conclusion_shape(const Record& record, const Conclusion& conclusion);

}  // namespace assay::history
