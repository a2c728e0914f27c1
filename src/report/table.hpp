// SPDX-License-Identifier: Apache-2.0
// A table of text for any width: columns aligned, closer together when they would not fit
// otherwise; what still does not fit goes, with its column's head, to a second line of its row.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/options.hpp"
#include "report/plain.hpp"

namespace assay::report {

struct Column {
  std::string head = {};
  bool left = false;     // aligned left; numbers are aligned right
  bool optional = true;  // left out when no row has anything in it
};

struct TableCell {
  std::string text = {};  // "" and "-" = nothing
  Tone tone = Tone::neutral;

  TableCell() = default;
  TableCell(std::string value, Tone how = Tone::neutral) : text(std::move(value)), tone(how) {}
  TableCell(const char* value) : text(value) {}
};

struct TableRow {
  std::vector<TableCell> cells = {};  // as many as there are columns
  std::string note = {};              // prose behind the row, or on lines of its own
};

// Lines that end with newlines, none longer than the width; nothing without rows.
std::string draw_table(const std::vector<Column>& columns, const std::vector<TableRow>& rows,
                       const TextOptions& options);

}  // namespace assay::report
