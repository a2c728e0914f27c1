// SPDX-License-Identifier: Apache-2.0
// Where the difference of a comparison sits, from the traces that were kept of its runs (--events).
#pragma once

#include <string>
#include <vector>

#include "attribution/delta.hpp"
#include "base/json.hpp"
#include "base/result.hpp"
#include "cli/terminal.hpp"
#include "model/record.hpp"
#include "report/options.hpp"

namespace assay::cli {

// The baseline against one candidate.
struct ExplainedPair {
  std::uint32_t arm = 1;
  attribution::DeltaDescription delta = {};
  Json timeline = {};  // of one run a side, for the page alone
};

// Of every candidate whose runs and the baseline's left traces; empty without --events. Traces that
// are gone or damaged are left out and told in `warnings`. `for_page`: with the timelines.
std::vector<ExplainedPair> explain_record(const Record& record, const std::string& store_path,
                                          bool for_page, std::vector<std::string>& warnings);

// What the runs' own logs make doubtful, each once.
void warn_of(const std::vector<ExplainedPair>& pairs, Terminal& terminal);

// What follows a comparison's text.
std::string explained_text(const Record& record, const std::vector<ExplainedPair>& pairs,
                           const report::TextOptions& options);
// [{"arm", "explain": {...}}], a member of the comparison's JSON.
Json explained_json(const std::vector<ExplainedPair>& pairs);
// The page of the first candidate, with the verdict on top. An Error without any trace.
Result<std::string> explained_html(const Record& record, const std::vector<ExplainedPair>& pairs);

}  // namespace assay::cli
