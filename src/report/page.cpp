// SPDX-License-Identifier: Apache-2.0
#include "report/page.hpp"

#include <algorithm>

#include "report/plain.hpp"

namespace assay::report {
namespace {

// Colours are told apart without red against green; print is black on white.
constexpr std::string_view kStyle = R"(
:root{color-scheme:light dark;--back:#fff;--text:#1b1f24;--dim:#5a6472;--rule:#d5dae1;
--soft:#f3f5f8;--main:#2b5fb4;--bad:#b3401a;--good:#17768a;--open:#8a6d1f;--broken:#7a3fa0}
@media (prefers-color-scheme:dark){:root{--back:#14171c;--text:#e4e8ee;--dim:#9aa5b3;
--rule:#39424e;--soft:#1e232a;--main:#7fb0ff;--bad:#ff9a6b;--good:#62cbe0;--open:#e0c067;
--broken:#cf9bf2}}
@media print{:root{--back:#fff;--text:#000;--dim:#444;--rule:#bbb;--soft:#f3f3f3;--main:#224b90;
--bad:#8f3010;--good:#0d5c6c;--open:#6a5210;--broken:#5b2a7c}figure,table,pre{break-inside:avoid}}
body{margin:2rem auto;padding:0 1rem;max-width:54rem;background:var(--back);color:var(--text);
font:16px/1.5 system-ui,sans-serif}
h1{font-size:1.5rem;line-height:1.25}h2{font-size:1.15rem;margin-top:2rem}
p.answer{font-size:1.1rem;font-weight:600}p.warning{border-left:3px solid var(--open);
padding-left:.7rem}p.dim,figcaption{color:var(--dim);font-size:.9rem}
pre{background:var(--soft);padding:.7rem .9rem;overflow-x:auto;white-space:pre-wrap;
overflow-wrap:anywhere;font:.85rem/1.45 ui-monospace,monospace}
.wide{overflow-x:auto}table{border-collapse:collapse;font-size:.9rem;
font-variant-numeric:tabular-nums}
th,td{padding:.25rem .8rem .25rem 0;text-align:left;border-bottom:1px solid var(--rule);
vertical-align:top}th{color:var(--dim);font-weight:600}td.n,th.n{text-align:right}
td.n,td.w{white-space:nowrap}
figure{margin:1rem 0}svg.plot{width:100%;height:auto;display:block}
svg.plot text{font:12px system-ui,sans-serif;fill:var(--text)}
svg.plot text.tick,svg.plot text.title,svg.plot text.note{fill:var(--dim)}
svg.plot line.grid{stroke:var(--rule);stroke-width:.7}svg.plot line.axis{stroke:var(--dim)}
svg.plot line.ref{stroke:var(--text);stroke-width:1.2}
svg.plot rect.band{fill:var(--dim);opacity:.13}
svg.plot .span{stroke-width:1.6}svg.plot .mark{stroke-width:1.6}
svg.plot .path{fill:none;stroke-width:1.8}
svg.plot .plain,svg.plot .strong,svg.plot .line0{stroke:var(--main);fill:var(--main)}
svg.plot .bad,svg.plot .line2{stroke:var(--bad);fill:var(--bad)}
svg.plot .good,svg.plot .line1{stroke:var(--good);fill:var(--good)}
svg.plot .open,svg.plot .line3{stroke:var(--open);fill:var(--open)}
svg.plot .broken,svg.plot .line4{stroke:var(--broken);fill:var(--broken)}
svg.plot .line5{stroke:var(--dim);fill:var(--dim)}
svg.plot .path{fill:none}svg.plot .hollow{fill:var(--back)}svg.plot .cross{fill:none}
svg.plot .path.line1{stroke-dasharray:7 3}svg.plot .path.line2{stroke-dasharray:2 3}
svg.plot .path.line3{stroke-dasharray:9 3 2 3}svg.plot .path.line4{stroke-dasharray:4 4}
)";

bool is_number(std::string_view cell) {
  if (!cell.empty() && (cell.front() == '+' || cell.front() == '-')) cell.remove_prefix(1);
  return cell.empty() || (cell.front() >= '0' && cell.front() <= '9');
}

// Columns with nothing but numbers (and gaps) stand right.
std::vector<bool> number_columns(const PageTable& table) {
  std::vector<bool> numbers(table.head.size(), !table.rows.empty());
  for (const auto& row : table.rows)
    for (std::size_t c = 0; c < std::min(row.size(), numbers.size()); ++c)
      if (!is_number(row[c])) numbers[c] = false;
  if (!numbers.empty()) numbers[0] = false;  // names, even when they are numbers
  return numbers;
}

}  // namespace

std::string escape_html(std::string_view text) {
  std::string out;
  for (const char c : plain_lines(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

Page::Page(std::string_view title) : title_(title) {}

void Page::heading(std::string_view text) { body_ += "<h2>" + escape_html(text) + "</h2>\n"; }

void Page::paragraph(std::string_view text, std::string_view css_class) {
  body_ += css_class.empty() ? "<p>" : "<p class=\"" + escape_html(css_class) + "\">";
  body_ += escape_html(text) + "</p>\n";
}

void Page::code(std::string_view text) {
  body_ += "<pre><code>" + escape_html(text) + "</code></pre>\n";
}

void Page::table(const PageTable& table) {
  const std::vector<bool> numbers = number_columns(table);
  const auto row_of = [&](const std::vector<std::string>& cells, std::string_view tag) {
    std::string row = "<tr>";
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const bool interval = tag == "td" && cells[c].starts_with('[');  // is not broken
      row += "<" + std::string(tag);
      row += c < numbers.size() && numbers[c] ? " class=\"n\">" : interval ? " class=\"w\">" : ">";
      row += escape_html(cells[c]) + "</" + std::string(tag) + ">";
    }
    return row + "</tr>\n";
  };
  body_ +=
      "<div class=\"wide\"><table>\n<thead>" + row_of(table.head, "th") + "</thead>\n<tbody>\n";
  for (const auto& row : table.rows) body_ += row_of(row, "td");
  body_ += "</tbody></table></div>\n";
}

void Page::figure(std::string_view svg, std::string_view caption) {
  if (svg.empty()) return;
  body_ += "<figure>\n" + std::string(svg);
  if (!caption.empty()) body_ += "<figcaption>" + escape_html(caption) + "</figcaption>\n";
  body_ += "</figure>\n";
}

std::string Page::html() const {
  const std::string title = escape_html(title_);
  return "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" "
         "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n<title>" +
         title + "</title>\n<style>" + std::string(kStyle) + "</style>\n</head>\n<body>\n<h1>" +
         title + "</h1>\n" + body_ + "</body>\n</html>\n";
}

}  // namespace assay::report
