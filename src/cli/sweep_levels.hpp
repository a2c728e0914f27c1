// SPDX-License-Identifier: Apache-2.0
// Parameters of a sweep as they are typed, and {placeholders} in the texts that they change.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "model/design.hpp"

namespace assay::cli {

inline constexpr std::size_t kMostCells = 256;

// "cap=1,2,4", "cap=1..8", "cap=1..64*2", "cap=0..100+25", or several of these with commas between.
// Ranges are of whole numbers; their last number is a level only when the steps meet it. Errors: no
// name, fewer than two levels, an empty or repeated one, a range that does not rise, more than 256.
Result<Parameter> parse_parameter(std::string_view text);

// What stands for each name in one cell of the sweep.
using Values = std::vector<std::pair<std::string, std::string>>;

// Every {name} of `values` replaced by its value, once: values are not looked into. `used` counts.
std::string fill_in(std::string_view text, const Values& values,
                    std::map<std::string, std::size_t>& used);

}  // namespace assay::cli
