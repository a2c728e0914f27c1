// SPDX-License-Identifier: Apache-2.0
// The report of a concluded `sweep`.
#pragma once

#include <string>

#include "base/json.hpp"
#include "model/record.hpp"
#include "report/options.hpp"

namespace assay::report {

// sweep_json: the head of every document, then "verdict" (EQUIVALENT = answered), "ended_by",
// "answer", "sentence", "failure", "shape" and "at" (one parameter), "rounds",
// "parameters": [{name, shape, at, ratio, lo, hi, z, p_holm}] (ratio: STEP behind it against in
// front, else last against first), "levels": [{level, values, arm, runs, median, ratio, lo, hi,
// peak_memory, memory: {ratio, lo, hi}}] (against the first that runs), "broken": [{level, arm,
// built, why}], "pareto": [level], "knee", "memory": {base_bytes, slope_bytes,
// largest_residual_bytes, budget_bytes, largest_fit, predicted_fit}, "interaction": {level, ratio,
// lo, hi}, "reproduce". What is unknown is null.
Text sweep_text(const Record& record, const Conclusion& conclusion, const TextOptions& options);
Json sweep_json(const Record& record, const Conclusion& conclusion);
std::string sweep_html(const Record& record, const Conclusion& conclusion);

}  // namespace assay::report
