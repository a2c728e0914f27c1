// SPDX-License-Identifier: Apache-2.0
// Asks a suite which units it has, by running it.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "model/subject.hpp"
#include "model/suite.hpp"

namespace assay::suite {

inline constexpr double kListingLimit = 120;  // s; a program that does not know the option may run

// Fills `units` and the abilities of `plan` (joins, reorders, repeats) by what `subject` lists, as
// far as `only` matches. What was strange about the listing, as clauses. Errors: the adapter is
// unknown, its rules are malformed, the listing fails or says nothing, nothing matches `only`;
// nothing when it was interrupted.
Result<std::optional<std::vector<std::string>>> list_units(const Subject& subject, SuitePlan& plan,
                                                           const std::atomic<bool>* interrupted);

// The same of another build of the suite: what `plan` does not have yet is added, so that a
// benchmark of one side alone is named and not overlooked.
Result<std::optional<std::vector<std::string>>> list_more_units(
    const Subject& subject, SuitePlan& plan, const std::atomic<bool>* interrupted);

}  // namespace assay::suite
