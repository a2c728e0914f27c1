// SPDX-License-Identifier: Apache-2.0
// The report of a concluded `timeline`.
#pragma once

#include <string>
#include <vector>

#include "base/json.hpp"
#include "model/record.hpp"
#include "report/options.hpp"

namespace assay::report {

// timeline_json: the head of every document, then "verdict" (EQUIVALENT = answered), "ended_by",
// "answer", "sentence", "failure", "rounds", "commits": [{rev, subject, arm, runs, metrics: [{name,
// median, to_parent: {ratio, lo, hi}, to_first}], peak_memory, memory_to_parent, memory_to_first,
// step, memory_step, step_effect, memory_step_effect, undone_by}], "steps": [rev], "broken": [{rev,
// arm, built, why}], "back_at_first", "reproduce"; beside an accepted regression "accepted"
// (report/accepted.hpp).
Text timeline_text(const Record& record, const Conclusion& conclusion, const TextOptions& options);
Json timeline_json(const Record& record, const Conclusion& conclusion);
// notes: paragraphs from beside the record, such as what was accepted before.
std::string timeline_html(const Record& record, const Conclusion& conclusion,
                          const std::vector<std::string>& notes = {});

}  // namespace assay::report
