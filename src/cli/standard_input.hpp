// SPDX-License-Identifier: Apache-2.0
// What commands take for a file named "-".
#pragma once

#include <string>

#include "base/result.hpp"

namespace assay::cli {

// Standard input to its end. Errors: it cannot be read; it is longer than a file may be
// (System::kMostBytes), which `too_long` says, a clause.
Result<std::string> read_standard_input(const std::string& too_long);

}  // namespace assay::cli
