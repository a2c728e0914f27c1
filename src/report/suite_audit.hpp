// SPDX-License-Identifier: Apache-2.0
// The report of a concluded `suite audit`.
#pragma once

#include "base/json.hpp"
#include "model/record.hpp"
#include "report/options.hpp"

namespace assay::report {

// suite_audit_json: the head of every document, then "verdict" (EQUIVALENT = nothing found, SLOWER
// = victims, missing benchmarks, another workload, a crossed budget, or moved ones, UNDECIDED =
// some have no verdict or the audit was ended), "ended_by", "sentence", "failure", "unfinished"
// (where it was ended; "" = it was not), "compared" (benchmarks with both times), "judged" (of
// them), "least_seen" (factor), "benchmarks": [{id, unit, alone_s, behind_s, factor, least_seen,
// alone_n, behind_n, alone_runs, behind_runs, judged, word}], "changed": [{id, unit, text, behind:
// [unit], changed, same}], "spread", "shift", "suite_s", "victims": [{id, unit, direction:
// "slower"|"faster", word, order, factor, threshold, p, alone_s, behind_s, alone_n, behind_n,
// polluters: [[unit]], polluted_by: [{units, factor, runs, confirmed, shared}], cleaners: [[unit]],
// mechanism, evidence, open, reproduced}], "memory": [{unit, retained, transient, peak, held,
// crosses, fills}], "missing": [{id, unit, alone, in_suite, exit_zero, message}], "doubts": [{id,
// unit, kind, figure, text}], "open": [{id, unit, factor, why}], "moved": [{id, unit, by, alone,
// in_suite, text}], "costs": [{stage, runs, seconds, suites}], "left_out": [text]. What is unknown
// is null.
Text suite_audit_text(const Record& record, const Conclusion& conclusion,
                      const TextOptions& options);
Json suite_audit_json(const Record& record, const Conclusion& conclusion);

}  // namespace assay::report
