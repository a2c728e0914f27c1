// SPDX-License-Identifier: Apache-2.0
// One HTML file that needs nothing else: no script, no address; light and dark; printable.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay::report {

struct PageTable {
  std::vector<std::string> head = {};
  std::vector<std::vector<std::string>> rows = {};
};

class Page {
 public:
  explicit Page(std::string_view title);
  // Plain text everywhere: it is escaped here.
  void heading(std::string_view text);
  void paragraph(std::string_view text, std::string_view css_class = "");  // "answer", "warning"
  void code(std::string_view text);
  void table(const PageTable& table);
  void figure(std::string_view svg, std::string_view caption);  // svg as report/plot.hpp makes it
  std::string html() const;

 private:
  std::string title_, body_;
};

// '&', '<', '>', '"' and what is not printable made safe for HTML.
std::string escape_html(std::string_view text);

}  // namespace assay::report
