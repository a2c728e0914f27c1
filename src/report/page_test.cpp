// SPDX-License-Identifier: Apache-2.0
#include "report/page.hpp"

#include <gtest/gtest.h>

namespace assay::report {
namespace {

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(Page, EscapesWhatComesFromOutside) {
  const struct {
    const char* text;
    const char* safe;
  } cases[] = {{"cap<=4 & \"x\" > 'y'", "cap&lt;=4 &amp; &quot;x&quot; &gt; &#39;y&#39;"},
               {"a\x1b[31mred", "a\\x1b[31mred"},
               {"\xff", "\\xff"},
               {"two\nlines", "two\nlines"},
               {"", ""}};
  for (const auto& c : cases) EXPECT_EQ(escape_html(c.text), c.safe);
}

TEST(Page, IsOneFileWithoutScriptOrAddress) {
  Page page("sweep <script>alert(1)</script>");
  page.heading("<img src=x onerror=alert(1)>");
  page.paragraph("a & b", "answer");
  page.paragraph("a", "x\" onclick=\"alert(1)");
  page.code("assay sweep <cap>");
  page.table({.head = {"level", "wall"}, .rows = {{"<b>", "2.31 s"}, {"2", ""}}});
  page.figure("<svg class=\"plot\"></svg>\n", "of \"levels\"");
  page.figure("", "nothing to see");
  const std::string html = page.html();
  EXPECT_TRUE(html.starts_with("<!doctype html>"));
  EXPECT_FALSE(has(html, "<script"));
  EXPECT_FALSE(has(html, "<img"));
  EXPECT_FALSE(has(html, "http:"));
  EXPECT_FALSE(has(html, "https:"));
  EXPECT_FALSE(has(html, "\" onclick"));
  EXPECT_FALSE(has(html, "nothing to see"));
  EXPECT_TRUE(has(html, "<p class=\"answer\">a &amp; b</p>"));
  EXPECT_TRUE(has(html, "<svg class=\"plot\"></svg>"));
}

TEST(Page, NumbersStandRight) {
  Page page("t");
  page.table(
      {.head = {"level", "wall", "shape"}, .rows = {{"1", "+6.9 %", "FLAT"}, {"2", "", ""}}});
  const std::string html = page.html();
  EXPECT_TRUE(has(html, "<th>level</th><th class=\"n\">wall</th><th>shape</th>"));
  EXPECT_TRUE(has(html, "<td>1</td><td class=\"n\">+6.9 %</td><td>FLAT</td>"));
}

}  // namespace
}  // namespace assay::report
