// SPDX-License-Identifier: Apache-2.0
// Accepted regressions in reports: how many, what they add up to, and why each was accepted.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "model/accepted.hpp"
#include "report/options.hpp"

namespace assay::report {

// Of one benchmark: "Accepted so far: 2 regressions, together +10.3 % cpu and +4.0 % peak memory.",
// then one line each, the newest first. Empty without any.
std::vector<std::string> accepted_sentences(std::span<const Accepted> accepted);

// {"count", "ratios": {metric: product}, "memory_ratio": product, "items": [...]}
Json accepted_json(std::span<const Accepted> accepted);

// `assay accept --list`: a table of all of them, the newest first.
std::string accepted_table(std::span<const Accepted> accepted, const TextOptions& options);

}  // namespace assay::report
