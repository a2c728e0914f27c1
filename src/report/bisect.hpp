// SPDX-License-Identifier: Apache-2.0
// The report of a concluded `bisect`: the sentence that can be acted on, the commits near the
// culprit, levels and posterior, what remains open, the command.
#pragma once

#include <string>

#include "base/json.hpp"
#include "model/record.hpp"
#include "report/options.hpp"

namespace assay::report {

Text bisect_text(const Record& record, const Conclusion& conclusion, const TextOptions& options);

// The head of compare_json (subjects: the commits in order, without their reverts), then
//   sentence, failure, ended_by, reproduced ("yes" | "no" | "better" | "unknown"),
//   ends {ratio, lo99, hi99} bad / good, runs (ends and search), more_runs,
//   culprit (commit, null when no single one is named), subject, probability (of the set), set,
//   confirmed, reverting_gives_it_back (null: not tried), effect {ratio, lo99, hi99},
//   culprits: these last members of every one, the largest first,
//   commits [{rev, subject, runs, median, probability}] of all lines searched, oldest first,
//   broken [{rev, reverted, built, why}].
Json bisect_json(const Record& record, const Conclusion& conclusion);
std::string bisect_html(const Record& record, const Conclusion& conclusion);

}  // namespace assay::report
