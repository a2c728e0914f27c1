// SPDX-License-Identifier: Apache-2.0
#include "report/ablate.hpp"

namespace assay::report {

Text ablate_text(const Record&, const Conclusion& conclusion, const TextOptions&) {
  return {.out = conclusion.answer + "\n", .warnings = {}};
}

Json ablate_json(const Record&, const Conclusion&) { return Json::object(); }

std::string ablate_html(const Record&, const Conclusion&) { return {}; }

}  // namespace assay::report
