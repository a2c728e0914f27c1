// SPDX-License-Identifier: Apache-2.0
#include "report/explain_html.hpp"

#include "base/text.hpp"

namespace assay::report {
namespace {

constexpr std::string_view kBegin = "<script type=\"application/json\" id=\"assay-data\">";
constexpr std::string_view kEnd = "</script>";

// JSON that a browser's HTML parser and every script engine read as it stands: '<' could begin
// "</script" or "<!--", U+2028 and U+2029 end lines in old engines.
std::string escaped(const std::string& json) {
  std::string out;
  out.reserve(json.size() + json.size() / 64);
  for (std::size_t i = 0; i < json.size(); ++i) {
    if (json[i] == '<') {
      out += "\\u003c";
    } else if (json.compare(i, 3, "\xe2\x80\xa8") == 0 || json.compare(i, 3, "\xe2\x80\xa9") == 0) {
      out += json[i + 2] == '\xa8' ? "\\u2028" : "\\u2029";
      i += 2;
    } else {
      out += json[i];
    }
  }
  return out;
}

}  // namespace

Result<std::string> explain_html(std::string_view page, const Json& document) {
  if (page.empty())
    return fail("this assay was built without the report's page", "web/dist/report.html",
                "build it with the file present, or use --json");
  const std::size_t begin = page.find(kBegin);
  const std::size_t end = begin == std::string_view::npos ? std::string_view::npos
                                                          : page.find(kEnd, begin + kBegin.size());
  if (end == std::string_view::npos)
    return fail("the report's page has no place for the data", "web/dist/report.html");
  if (page.find(kBegin, end) != std::string_view::npos)
    return fail("the report's page has more than one place for the data", "web/dist/report.html");
  std::string out(page.substr(0, begin + kBegin.size()));
  out += escaped(document.dump());
  out += page.substr(end);
  return out;
}

}  // namespace assay::report
