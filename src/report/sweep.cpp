// SPDX-License-Identifier: Apache-2.0
#include "report/sweep.hpp"

namespace assay::report {

Text sweep_text(const Record&, const Conclusion& conclusion, const TextOptions&) {
  return {.out = conclusion.answer + "\n", .warnings = {}};
}

Json sweep_json(const Record&, const Conclusion&) { return Json::object(); }

std::string sweep_html(const Record&, const Conclusion&) { return {}; }

}  // namespace assay::report
