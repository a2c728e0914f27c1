// SPDX-License-Identifier: Apache-2.0
// Accepted regressions: the file accepted.jsonl beside the store, one JSON object a line, only ever
// appended to (docs/record_format.md). A file of its own, since what was accepted must outlive the
// records that showed it, and a person may read and mend it.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "model/accepted.hpp"
#include "model/plan.hpp"

namespace assay::history {

inline constexpr std::size_t kMostAccepted = 100'000;

// What is the same benchmark over time: its commands and inputs, whatever revision they are built
// from and in whatever order they are compared.
std::string benchmark_key(const Plan& plan);

std::string accepted_path(const std::string& store_path);

// All of them in the order of the file; none when there is no file. A last line without its end was
// torn while it was written and does not count. Errors name file:line.
Result<std::vector<Accepted>> read_accepted(const std::string& store_path);
std::vector<Accepted> accepted_of(const std::vector<Accepted>& all, const std::string& benchmark);

// Adds one, durably. Errors: the same record and commit twice, no reason, a file that cannot be
// written or is damaged.
Result<void> append_accepted(const std::string& store_path, const Accepted& accepted);

}  // namespace assay::history
