// SPDX-License-Identifier: Apache-2.0
// The report of a concluded `suite compare`: a verdict a benchmark, what matters first; ratios
// outside the tolerance; the geometric mean beside them, without a word; ids of one side; controls.
#pragma once

#include "base/json.hpp"
#include "model/record.hpp"
#include "report/options.hpp"

namespace assay::report {

// suite_compare_json: the head of every document, then "verdict", "withheld", "ended_by",
// "sentence", "family", "tolerance", "geometric_mean", "mean_of", "benchmarks": [{unit, id,
// control, presence, verdict, reason, ratio, lo99, hi99, lo95, hi95, runs, all_runs, sign, more,
// p_seq, by_holm, within_tolerance, baseline_median, candidate_median, trouble, facts: [{name,
// baseline, candidate}]}], "units": [{name, runs, baseline_memory, candidate_memory, trouble}].
// verdict is null where verdicts are withheld; ratios are candidate / baseline.
Text suite_compare_text(const Record& record, const Conclusion& conclusion,
                        const TextOptions& options);
Json suite_compare_json(const Record& record, const Conclusion& conclusion);
std::string suite_compare_markdown(const Record& record, const Conclusion& conclusion);

}  // namespace assay::report
