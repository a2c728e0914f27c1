// SPDX-License-Identifier: Apache-2.0
// Explanations for programs. Members are named as the fields of attribution/description.hpp and
// delta.hpp; enums are their words, what is absent is null, times are seconds.
//
// {"schema_version", "kind": "explain", "sentence", "replicated", "reason", "runs": [{"side":
// "A"|"B",
//  ...RunDescription}], "delta_s", "delta_lo_s", "delta_hi_s", "parts": [{factor, seconds, lo,
//  hi}], "interactions": [{first, second, seconds}], "remainder_s", "model_error_s": [a, b],
//  "refused" (why, or null), "interval_basis", "notes", "replays", "sampled", "comparability",
//  "stages", "tails", "spans", "unmatched_share", "warnings": [{kind, text}]}
// With one run what is about two is null or empty. Book.seconds is an object by kind of span.
#pragma once

#include <optional>

#include "attribution/delta.hpp"
#include "attribution/description.hpp"
#include "base/json.hpp"

namespace assay::report {

struct ExplainJsonOptions {
  bool curves = false;                // the 101 quantiles of every distribution too
  std::optional<double> budget = {};  // bytes: every model of memory has "budget": {bytes, stage,
                                      // permits, fits, fits_bytes, next_bytes} or null
};

Json explain_json(const attribution::RunDescription& run, const ExplainJsonOptions& options);
Json explain_json(const attribution::DeltaDescription& delta, const ExplainJsonOptions& options);

}  // namespace assay::report
