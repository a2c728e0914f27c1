// SPDX-License-Identifier: Apache-2.0
// The report of a concluded `timeline`.
#pragma once

#include <string>

#include "base/json.hpp"
#include "model/record.hpp"
#include "report/options.hpp"

namespace assay::report {

Text timeline_text(const Record& record, const Conclusion& conclusion, const TextOptions& options);
Json timeline_json(const Record& record, const Conclusion& conclusion);
std::string timeline_html(const Record& record, const Conclusion& conclusion);

}  // namespace assay::report
