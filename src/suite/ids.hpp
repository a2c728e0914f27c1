// SPDX-License-Identifier: Apache-2.0
// Names of benchmarks and units: made unique, found in text, put into patterns.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/suite.hpp"

namespace assay::suite {

// The second of the same name becomes "name#2", the third "name#3"; returns how many were renamed.
std::size_t make_unique(std::vector<std::string>& names);

// Units of the same name become one, at the first one's place; their ids are joined, in order, and
// made unique. Returns how many ids were renamed.
std::size_t merge_units(std::vector<SuiteUnit>& units);

// Leaves the ids that one of `patterns` matches (by their own name, or their unit's), and units
// that have some left, or whose own name matches when they have no ids.
void keep_matching(std::vector<SuiteUnit>& units, std::span<const std::string> patterns);

// `text` as a regular expression that matches only itself, in ECMAScript's, POSIX's and RE2's
// grammar alike.
std::string escape_pattern(std::string_view text);

// Lines with something on them, without a carriage return at their end.
std::vector<std::string> lines_of(std::string_view text);

}  // namespace assay::suite
