// SPDX-License-Identifier: Apache-2.0
#include "attribution/trade_csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"

namespace assay::attribution {
namespace {

constexpr std::size_t kMostRows = 100'000, kMostCells = 1'000;

struct Cell {
  std::string text = {};
  std::size_t column = 1;  // of its first byte, counted from 1
};

struct Place {
  const std::string& name;
  std::size_t line = 0;
  std::string at(std::size_t column) const { return fmt::format("{}:{}:{}", name, line, column); }
};

Result<std::vector<Cell>> cells_of(std::string_view line, const Place& place) {
  std::vector<Cell> cells;
  std::size_t i = 0;
  for (;;) {
    Cell& cell = cells.emplace_back();
    cell.column = i + 1;
    if (i < line.size() && line[i] == '"') {
      const std::size_t open = i++;
      for (;;) {
        if (i >= line.size()) {
          return fail("a quote that is not closed on its line", place.at(open + 1),
                      "a quote inside quotes is written twice");
        }
        if (line[i] != '"') {
          cell.text += line[i++];
        } else if (i + 1 < line.size() && line[i + 1] == '"') {
          cell.text += '"';
          i += 2;
        } else {
          ++i;
          break;
        }
      }
      if (i < line.size() && line[i] != ',') {
        return fail("text behind a closing quote", place.at(i + 1),
                    "quote the whole cell, or nothing of it");
      }
    } else {
      const std::size_t comma = std::min(line.find(',', i), line.size());
      cell.text = std::string(line.substr(i, comma - i));
      i = comma;
    }
    if (i >= line.size()) return cells;
    ++i;  // the comma
    if (cells.size() >= kMostCells) {
      return fail(fmt::format("more than {} cells in a line", kMostCells), place.at(i), {});
    }
  }
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

double unit_of(const std::string& column,
               std::initializer_list<std::pair<const char*, double>> units) {
  for (const auto& [ending, factor] : units) {
    if (column.ends_with(std::string("_") + ending) || column == ending ||
        column.starts_with(std::string(ending) + "_per_")) {
      return factor;
    }
  }
  return 1;
}

double seconds_in(const std::string& column) {
  return unit_of(column, {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}});
}
double bytes_in(const std::string& column) {
  return unit_of(column, {{"bytes", 1},
                          {"kib", 0x1p10},
                          {"mib", 0x1p20},
                          {"gib", 0x1p30},
                          {"tib", 0x1p40},
                          {"kb", 1e3},
                          {"mb", 1e6},
                          {"gb", 1e9},
                          {"tb", 1e12}});
}

// Where the wanted columns stand in the header.
struct Layout {
  std::size_t cost = 0, peak = 0, cells = 0;
  std::vector<std::size_t> settings;
  std::optional<std::size_t> group;
};

Result<Layout> layout_of(const std::vector<Cell>& header, const TradeColumns& columns,
                         const Place& place) {
  Layout layout;
  layout.cells = header.size();
  std::vector<std::string> names;
  for (const Cell& cell : header) names.emplace_back(trimmed(cell.text));
  const auto find = [&](const std::string& wanted) -> Result<std::size_t> {
    const auto found = std::find(names.begin(), names.end(), wanted);
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
    std::string have;
    for (std::size_t i = 0; i < names.size() && i < 20; ++i) {
      have += (have.empty() ? "" : ", ") + printable(names[i]);
    }
    const auto near = nearest(wanted, names);
    return fail(
        fmt::format("no column '{}'", printable(wanted)), place.at(1),
        near ? fmt::format("did you mean '{}'?", printable(*near)) : "the columns are " + have);
  };
  const auto cost = find(columns.cost), peak = find(columns.peak);
  if (!cost) return fail(cost.error());
  if (!peak) return fail(peak.error());
  layout.cost = *cost;
  layout.peak = *peak;
  for (const std::string& setting : columns.settings) {
    const auto at = find(setting);
    if (!at) return fail(at.error());
    layout.settings.push_back(*at);
  }
  if (!columns.group.empty()) {
    const auto at = find(columns.group);
    if (!at) return fail(at.error());
    layout.group = *at;
  }
  return layout;
}

Result<double> number_in(const Cell& cell, const std::string& column, const Place& place) {
  const auto value = parse_number(trimmed(cell.text));
  if (value && std::isfinite(*value)) return *value;
  return fail(fmt::format("'{}' is no number", printable(shorten(cell.text, 40))),
              place.at(cell.column),
              fmt::format("column '{0}' is taken for a setting or a measurement: name the settings "
                          "with --setting, or use --by {0} for a report for each of its values",
                          printable(column)));
}

Result<double> positive_in(const Cell& cell, const std::string& column, double unit,
                           const Place& place) {
  auto value = number_in(cell, column, place);
  if (!value) return value;
  if (*value > 0 && std::isfinite(*value * unit) && *value * unit > 0) return *value * unit;
  return fail(fmt::format("'{}' is not above zero", printable(shorten(cell.text, 40))),
              place.at(cell.column),
              fmt::format("column '{}' holds a measured quantity", printable(column)));
}

Result<TradePoint> point_of(const std::vector<Cell>& row, const Layout& layout,
                            const TradeColumns& columns, const Place& place) {
  TradePoint point;
  const auto cost = positive_in(row[layout.cost], columns.cost, seconds_in(columns.cost), place);
  if (!cost) return fail(cost.error());
  const auto peak = positive_in(row[layout.peak], columns.peak, bytes_in(columns.peak), place);
  if (!peak) return fail(peak.error());
  point.cost_s = *cost;
  point.peak_bytes = *peak;
  for (std::size_t s = 0; s < layout.settings.size(); ++s) {
    const Cell& cell = row[layout.settings[s]];
    const auto value = number_in(cell, columns.settings[s], place);
    if (!value) return fail(value.error());
    point.settings.emplace_back(columns.settings[s], *value);
    point.label += fmt::format("{}{}={}", point.label.empty() ? "" : " ", columns.settings[s],
                               printable(trimmed(cell.text)));
  }
  if (point.label.empty()) point.label = fmt::format("line {}", place.line);
  return point;
}

}  // namespace

Result<std::vector<TradeTable>> parse_trade_csv(std::string_view text, const std::string& name,
                                                const TradeColumns& columns) {
  std::vector<TradeTable> tables;
  std::optional<Layout> layout;
  Place place{name};
  std::size_t rows = 0;
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    at = end + 1;
    ++place.line;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (trimmed(line).empty() || line.front() == '#') continue;
    const auto row = cells_of(line, place);
    if (!row) return fail(row.error());
    if (!layout) {
      auto found = layout_of(*row, columns, place);
      if (!found) return fail(found.error());
      layout = std::move(*found);
      continue;
    }
    if (row->size() != layout->cells) {
      return fail(fmt::format("{} cells where the header has {}", row->size(), layout->cells),
                  place.at(1), "a cell with a comma inside is written in quotes");
    }
    if (++rows > kMostRows) return fail(fmt::format("more than {} rows", kMostRows), place.at(1));
    const std::string group(layout->group ? trimmed((*row)[*layout->group].text) : "");
    auto table = std::find_if(tables.begin(), tables.end(),
                              [&](const TradeTable& each) { return each.group == group; });
    if (table == tables.end()) {
      if (tables.size() == kMostCells) {
        return fail(fmt::format("more than {} tables", kMostCells), place.at(1),
                    "name a column with few values as the group");
      }
      table = tables.insert(tables.end(), TradeTable{group});
    }
    if (trimmed((*row)[layout->cost].text).empty() || trimmed((*row)[layout->peak].text).empty()) {
      ++table->skipped;
      continue;
    }
    auto point = point_of(*row, *layout, columns, place);
    if (!point) return fail(point.error());
    table->points.push_back(std::move(*point));
  }
  if (!layout) return fail("no header line", name, "the first line names the columns");
  if (rows == 0) return fail("no rows behind the header", name);
  return tables;
}

}  // namespace assay::attribution
