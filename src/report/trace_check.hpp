// SPDX-License-Identifier: Apache-2.0
// What an importer understood of a log, what it lost, and which formats there are: `assay trace
// check` and `assay trace formats`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "report/options.hpp"
#include "trace/importer.hpp"
#include "trace/rules.hpp"

namespace assay::report {

struct RuleMatches {
  const trace::Rules* rules = nullptr;
  std::vector<std::uint64_t> lines = {};  // by event rule
};

// Lines, spans by stage and kind, settings, losses, and the rules with their lines.
std::string check_text(const trace::Trace& run, const std::optional<RuleMatches>& matches,
                       const TextOptions& options);
// {"schema_version", "kind": "trace-check", "source", "format", "bytes", "lines", "matched",
//  "spans": [{stage, kind, n}], "items", "settings", "losses": {text: count}, "rules": [{line,
//  pattern, lines}], "warnings": [{kind, text}]}
Json check_json(const trace::Trace& run, const std::optional<RuleMatches>& matches);

std::string formats_text(const TextOptions& options);
Json formats_json();

}  // namespace assay::report
