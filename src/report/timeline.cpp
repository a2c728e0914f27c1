// SPDX-License-Identifier: Apache-2.0
#include "report/timeline.hpp"

namespace assay::report {

Text timeline_text(const Record&, const Conclusion& conclusion, const TextOptions&) {
  return {.out = conclusion.answer + "\n", .warnings = {}};
}

Json timeline_json(const Record&, const Conclusion&) { return Json::object(); }

std::string timeline_html(const Record&, const Conclusion&) { return {}; }

}  // namespace assay::report
