// SPDX-License-Identifier: Apache-2.0
#include "report/table.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "base/text.hpp"

namespace assay::report {
namespace {

constexpr std::size_t kIndent = 4;  // of what did not fit into the line above
// Names come from logs; one has more only where nothing else wants the room.
constexpr std::size_t kWidestCell = 40;

bool is_nothing(const TableCell& cell) { return cell.text.empty() || cell.text == "-"; }

struct Layout {
  std::vector<std::size_t> shown = {};   // columns that have something to say
  std::vector<std::size_t> widths = {};  // of every column
  std::size_t count = 0;                 // of `shown`, on the first line
  std::size_t gap = 2;
};

// Gives what is left of the line, beside notes, to cells that were cut, from the left.
void widen(Layout& layout, const std::vector<TableRow>& rows, std::size_t width) {
  std::size_t used = 0;
  for (const TableRow& row : rows) used = std::max(used, display_width(row.note));
  for (const std::size_t i : layout.shown) used += (used > 0 ? layout.gap : 0) + layout.widths[i];
  for (const std::size_t i : layout.shown) {
    std::size_t wanted = layout.widths[i];
    for (const TableRow& row : rows) wanted = std::max(wanted, display_width(row.cells[i].text));
    const std::size_t more = std::min(wanted - layout.widths[i], width - std::min(width, used));
    layout.widths[i] += more;
    used += more;
  }
}

Layout lay_out(const std::vector<Column>& columns, const std::vector<TableRow>& rows,
               std::size_t width) {
  Layout layout;
  layout.widths.resize(columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const bool is_empty =
        std::ranges::all_of(rows, [i](const TableRow& row) { return is_nothing(row.cells[i]); });
    if (is_empty && columns[i].optional) continue;
    layout.shown.push_back(i);
    layout.widths[i] = display_width(columns[i].head);
    for (const TableRow& row : rows)
      layout.widths[i] =
          std::max(layout.widths[i], std::min(display_width(row.cells[i].text), kWidestCell));
  }
  const auto that_fit = [&](std::size_t gap) {
    std::size_t count = 0, used = 0;
    for (; count < layout.shown.size(); ++count) {
      used += layout.widths[layout.shown[count]] + (count > 0 ? gap : 0);
      if (width != 0 && used > width && count > 0) break;
    }
    return count;
  };
  layout.count = that_fit(2);
  if (layout.count < layout.shown.size() && that_fit(1) == layout.shown.size()) {
    layout.gap = 1;
    layout.count = layout.shown.size();
  }
  if (width != 0 && layout.count == layout.shown.size()) widen(layout, rows, width);
  return layout;
}

std::string aligned(const TableCell& cell, bool left, std::size_t width, bool colour) {
  const std::string text = shorten(cell.text, width);
  const std::string blanks(width - std::min(width, display_width(text)), ' ');
  const std::string painted = paint(text, cell.tone, colour);
  return left ? painted + blanks : blanks + painted;
}

void trim(std::string& line) {
  while (!line.empty() && line.back() == ' ') line.pop_back();
}

// What did not fit, in indented lines that break between cells.
std::string flow(const std::vector<std::string>& cells, std::size_t width) {
  std::string out, line;
  const auto flush = [&] {
    if (!line.empty()) out += wrap(std::string(kIndent, ' ') + line, width, kIndent);
    line.clear();
  };
  for (const std::string& cell : cells) {
    if (width != 0 && kIndent + display_width(line) + 2 + display_width(cell) > width) flush();
    line += (line.empty() ? "" : "  ") + cell;
  }
  flush();
  return out;
}

}  // namespace

std::string draw_table(const std::vector<Column>& columns, const std::vector<TableRow>& rows,
                       const TextOptions& options) {
  if (rows.empty()) return {};
  for (const TableRow& row : rows)
    ASSAY_CHECK(row.cells.size() == columns.size(), "a cell for every column");
  const std::size_t width = report::columns(options);
  const Layout layout = lay_out(columns, rows, width);
  const auto first_line = [&](const auto& cell_of, std::size_t& used) {
    std::string line;
    used = 0;
    for (std::size_t k = 0; k < layout.count; ++k) {
      const std::size_t i = layout.shown[k];
      const std::size_t gap = k > 0 ? layout.gap : 0;
      line += std::string(gap, ' ') +
              aligned(cell_of(i), columns[i].left, layout.widths[i], options.colour);
      used += gap + layout.widths[i];
    }
    return line;
  };
  std::size_t used = 0;
  std::string head = first_line([&](std::size_t i) { return TableCell(columns[i].head); }, used);
  trim(head);
  std::string out = head.empty() ? "" : head + "\n";
  for (const TableRow& row : rows) {
    std::string line = first_line([&](std::size_t i) { return row.cells[i]; }, used);
    std::vector<std::string> rest;
    for (std::size_t k = layout.count; k < layout.shown.size(); ++k)
      if (const std::size_t i = layout.shown[k]; !is_nothing(row.cells[i]))
        rest.push_back(columns[i].head.empty() ? row.cells[i].text
                                               : columns[i].head + " " + row.cells[i].text);
    const bool note_fits =
        rest.empty() && (width == 0 || used + layout.gap + display_width(row.note) <= width);
    if (!row.note.empty() && note_fits) line += std::string(layout.gap, ' ') + row.note;
    if (!row.note.empty() && !note_fits) rest.push_back(row.note);
    trim(line);
    out += line + "\n" + flow(rest, width);
  }
  return out;
}

}  // namespace assay::report
