// SPDX-License-Identifier: Apache-2.0
// An explanation as one page that needs nothing else: a template with one place for the data. The
// template is web/dist/report.html, which the build puts into the library (report_page).
#pragma once

#include <string>
#include <string_view>

#include "base/json.hpp"
#include "base/result.hpp"

namespace assay::report {

// The page as it was built in; empty when the build had none.
std::string_view report_page();

// `page` with `document` as the text of its one <script id="assay-data">. Nothing in the document
// can end that element early. Errors: no page, no such place in it, more than one.
Result<std::string> explain_html(std::string_view page, const Json& document);

}  // namespace assay::report
