// SPDX-License-Identifier: Apache-2.0
// The report of a concluded `suite run`: numbers of every benchmark, those that failed, went
// missing or are doubtful first. No verdict words: nothing is compared.
#pragma once

#include "base/json.hpp"
#include "model/record.hpp"
#include "report/options.hpp"

namespace assay::report {

// suite_run_json: the head of every document, then "verdict" (EQUIVALENT = every benchmark came out
// in every run, FAILED, UNDECIDED = not all were run), "ended_by", "sentence", "rounds",
// "benchmarks": [{unit, id, status, listed, ok, failed, missing, skipped, median, lo95, hi95,
// spread, iterations, setup_s, facts: [{name, value}], message, doubts}], "units": [{name, runs,
// failed, wall_s, peak_memory, over_budget, message, given_up}]. Times are seconds an iteration;
// what is unknown is null.
Text suite_run_text(const Record& record, const Conclusion& conclusion, const TextOptions& options);
Json suite_run_json(const Record& record, const Conclusion& conclusion);

}  // namespace assay::report
