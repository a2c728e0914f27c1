// SPDX-License-Identifier: Apache-2.0
#include "report/bisect.hpp"

namespace assay::report {

Text bisect_text(const Record&, const Conclusion& conclusion, const TextOptions&) {
  return {.out = conclusion.answer + "\n", .warnings = {}};
}

Json bisect_json(const Record&, const Conclusion&) { return Json::object(); }

std::string bisect_html(const Record&, const Conclusion&) { return {}; }

}  // namespace assay::report
