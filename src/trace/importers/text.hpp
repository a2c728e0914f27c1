// SPDX-License-Identifier: Apache-2.0
// Text logs by rules. Caveat: what no rule matches is not seen, and a line that a rule should match
// but does not is not missed either, except through the balance of begins and ends.
#pragma once

#include "trace/importer.hpp"
#include "trace/rules.hpp"

namespace assay::trace {

// The events of `source` by `rules`, into an empty trace called `format`. Besides the rules'
// settings every word effective_NAME=VALUE of any line is one. `matches`: lines by event rule.
Result<Trace> read_by_rules(ByteSource& source, const ImportOptions& options, const Rules& rules,
                            std::string_view format, std::vector<std::uint64_t>* matches = nullptr);

// "rules": options.rules is needed.
const Importer& rules_importer();

}  // namespace assay::trace
