// SPDX-License-Identifier: Apache-2.0
#include "report/explain_html.hpp"

#include <gtest/gtest.h>

#include "report/explain_cases.hpp"
#include "report/explain_json.hpp"

namespace assay::report {
namespace {

const std::string kPage =
    "<html><script type=\"application/json\" id=\"assay-data\">{}</script><script>draw()</script>"
    "</html>";

TEST(ExplainHtml, FillsTheOnePlace) {
  const auto page = explain_html(kPage, Json::object().set("a", 1));
  ASSERT_TRUE(page.has_value());
  EXPECT_EQ(*page,
            "<html><script type=\"application/json\" id=\"assay-data\">{\"a\":1}</script>"
            "<script>draw()</script></html>");
}

TEST(ExplainHtml, NothingInTheDataEndsTheElement) {
  const Json hostile =
      Json::object().set("name", "</script><!-- \xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xaa");
  const std::string page = explain_html(kPage, hostile).value();
  EXPECT_NE(page.find("\\u003c/script>\\u003c!-- \\u2028\\u2029\xe2\x80\xaa"), std::string::npos)
      << page;
  const std::size_t begin = page.find("assay-data\">") + 12;
  const auto back = parse_json(page.substr(begin, page.find("</script>", begin) - begin));
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(*back, hostile);
}

TEST(ExplainHtml, SaysWhatIsWrongWithThePage) {
  EXPECT_EQ(explain_html("", Json()).error().to_text(),
            "web/dist/report.html: this assay was built without the report's page\n"
            "  build it with the file present, or use --json");
  EXPECT_FALSE(explain_html("<html></html>", Json()).has_value());
  EXPECT_FALSE(explain_html(kPage + kPage, Json()).has_value());
}

TEST(ExplainHtml, TheBuiltInPageHasItsPlace) {
  if (report_page().empty()) GTEST_SKIP() << "built without web/dist/report.html";
  const auto page = explain_html(report_page(), explain_json(delta_case(), {.curves = true}));
  ASSERT_TRUE(page.has_value()) << page.error().to_text();
  EXPECT_EQ(page->find("<script src="), std::string::npos);
}

}  // namespace
}  // namespace assay::report
