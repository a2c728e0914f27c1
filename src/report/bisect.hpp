// SPDX-License-Identifier: Apache-2.0
// The report of a concluded `bisect`.
#pragma once

#include <string>

#include "base/json.hpp"
#include "model/record.hpp"
#include "report/options.hpp"

namespace assay::report {

Text bisect_text(const Record& record, const Conclusion& conclusion, const TextOptions& options);
Json bisect_json(const Record& record, const Conclusion& conclusion);
std::string bisect_html(const Record& record, const Conclusion& conclusion);

}  // namespace assay::report
