// SPDX-License-Identifier: Apache-2.0
// The report of a concluded `ablate`.
#pragma once

#include <string>

#include "base/json.hpp"
#include "model/record.hpp"
#include "report/options.hpp"

namespace assay::report {

Text ablate_text(const Record& record, const Conclusion& conclusion, const TextOptions& options);
Json ablate_json(const Record& record, const Conclusion& conclusion);
std::string ablate_html(const Record& record, const Conclusion& conclusion);

}  // namespace assay::report
