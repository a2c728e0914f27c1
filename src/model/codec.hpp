// SPDX-License-Identifier: Apache-2.0
// Model values as JSON and back: what the store writes and `assay export` prints.
// The shapes are documented in docs/record_format.md; a change there bumps the schema version.
#pragma once

#include "base/json.hpp"
#include "base/result.hpp"
#include "model/record.hpp"

namespace assay {

Json to_json(const Plan&);
Json to_json(const Host&);
Json to_json(const Trial&);
Json to_json(const Build&);
Json to_json(const Stop&);
Json to_json(const Entry&);  // {"type": "trial"|"build"|"stop", ...}
Json to_json(const Conclusion&);
Json to_json(const Subject&);
Json to_json(const Metric&);

// Each names the member that is missing or has the wrong type: "plan: arms[1].argv: not a list".
Result<Plan> plan_from_json(const Json&);
Result<Host> host_from_json(const Json&);
Result<Entry> entry_from_json(const Json&);
Result<Conclusion> conclusion_from_json(const Json&);

}  // namespace assay
