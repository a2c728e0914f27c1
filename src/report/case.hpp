// SPDX-License-Identifier: Apache-2.0
// A case for people: what is to be explained, what each hypothesis predicted and what was measured,
// what remains, and what to do next.
#pragma once

#include <span>
#include <string>

#include "base/json.hpp"
#include "cases/status.hpp"
#include "report/options.hpp"

namespace assay::report {

struct CaseView {
  cases::Case of = {};
  cases::CaseStatus status = {};
  std::string file = {};  // where the case stands
};

Text case_text(const CaseView& view, const TextOptions& options);
// {"schema_version", "kind": "case", "name", "file", "question", "sentence", "gap": {...},
//  "hypotheses": [{id, mechanism, predict, word, reason, measured, share, next, price, notes}],
//  "remainders": [...], "facts": [...], "rounds": [...], "warnings"}; docs/manual/case.md.
Json case_json(const CaseView& view);
std::string case_markdown(const CaseView& view);
std::string case_html(const CaseView& view);

// A line a case: name, hypotheses by word, question.
std::string cases_text(std::span<const CaseView> views, const TextOptions& options);
Json cases_json(std::span<const CaseView> views);

}  // namespace assay::report
