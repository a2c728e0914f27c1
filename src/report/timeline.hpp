// SPDX-License-Identifier: Apache-2.0
// The report of a concluded `timeline`.
#pragma once

#include <string>
#include <vector>

#include "base/json.hpp"
#include "model/record.hpp"
#include "report/options.hpp"

namespace assay::report {

Text timeline_text(const Record& record, const Conclusion& conclusion, const TextOptions& options);
Json timeline_json(const Record& record, const Conclusion& conclusion);
// notes: paragraphs from beside the record, such as what was accepted before.
std::string timeline_html(const Record& record, const Conclusion& conclusion,
                          const std::vector<std::string>& notes = {});

}  // namespace assay::report
