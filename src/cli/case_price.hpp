// SPDX-License-Identifier: Apache-2.0
// What the test of a hypothesis would cost: its command line, rehearsed.
#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"
#include "cli/flags.hpp"

namespace assay::cli {

struct Price {
  std::string text = {};            // "about 26 runs, at most 396; 4 builds"
  std::optional<double> runs = {};  // the likely number
};

// `test`: "assay compare './a' './b'". Nothing runs, and nothing is printed. Nothing for a command
// that has no price (explain, ...) or that is not one of assay's. Errors: what the command line
// itself would be told, such as an unknown option.
Result<std::optional<Price>> price_of(const std::string& test, const Arguments& globals);

}  // namespace assay::cli
