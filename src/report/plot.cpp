// SPDX-License-Identifier: Apache-2.0
// Plots of characters. Everything is drawn into rows of cells, one column each, and joined at the
// end, so that no line can be wider than asked for.
#include "report/plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "base/text.hpp"
#include "report/plot_scale.hpp"

namespace assay::report {
namespace {

constexpr std::size_t kUsualWidth = 80;         // where there is no limit
constexpr std::size_t kLeast = 16, kMost = 60;  // columns of the area that is drawn in
constexpr std::size_t kLineRows = 11;           // of a line plot
constexpr std::size_t kIndent = 2, kGap = 2;

struct Glyphs {
  std::string_view dot, open, broken, line, left, right, more_left, more_right, across, edge;
  std::string_view axis, tick, path;
  std::array<std::string_view, 6> marks;  // of lines, in order
};
constexpr Glyphs kUnicode = {.dot = "●",
                             .open = "○",
                             .broken = "×",
                             .line = "─",
                             .left = "├",
                             .right = "┤",
                             .more_left = "◂",
                             .more_right = "▸",
                             .across = "│",
                             .edge = "┊",
                             .axis = "─",
                             .tick = "┴",
                             .path = "·",
                             .marks = {"●", "○", "■", "□", "▲", "△"}};
constexpr Glyphs kAscii = {.dot = "*",
                           .open = "o",
                           .broken = "x",
                           .line = "-",
                           .left = "[",
                           .right = "]",
                           .more_left = "<",
                           .more_right = ">",
                           .across = "|",
                           .edge = ":",
                           .axis = "-",
                           .tick = "+",
                           .path = ".",
                           .marks = {"*", "o", "#", "+", "x", "@"}};

const Glyphs& glyphs_of(const TextOptions& options) { return options.unicode ? kUnicode : kAscii; }

// One row of cells.
class Cells {
 public:
  explicit Cells(std::size_t width) : glyphs_(width, " "), tones_(width, Tone::neutral) {}
  std::size_t width() const { return glyphs_.size(); }
  bool is_blank(std::size_t at) const { return glyphs_[at] == " "; }
  void put(std::size_t at, std::string_view glyph, Tone tone = Tone::neutral) {
    if (at >= glyphs_.size()) return;
    glyphs_[at] = glyph;
    tones_[at] = tone;
  }
  // Without blanks at the end when `cut`.
  std::string text(bool colour, bool cut) const {
    std::size_t end = glyphs_.size();
    while (cut && end > 0 && is_blank(end - 1)) --end;
    std::string out;
    for (std::size_t at = 0; at < end;) {
      std::string run;
      const Tone tone = tones_[at];
      for (; at < end && tones_[at] == tone; ++at) run += glyphs_[at];
      out += paint(run, tone, colour);
    }
    return out;
  }

 private:
  std::vector<std::string> glyphs_;
  std::vector<Tone> tones_;
};

std::size_t total_width(const TextOptions& options) {
  return options.width == 0 ? kUsualWidth : columns(options);
}

// Columns of labels, drawing and notes.
struct Layout {
  std::size_t total = 0, label = 0, area = 0, note = 0;
};

Layout lay_out(std::size_t total, std::size_t label, std::size_t note) {
  Layout layout{.total = total, .label = std::min(label, total / 3)};
  const std::size_t rest = total - kIndent - layout.label - kGap;
  const std::size_t wanted = note == 0 ? 0 : note + kGap;
  layout.area = std::clamp(rest > wanted ? rest - wanted : 0, std::min(kLeast, rest), kMost);
  const std::size_t left = rest - layout.area;
  layout.note = left > kGap ? std::min(note, left - kGap) : 0;
  return layout;
}

std::string trimmed(std::string line) {
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line + "\n";
}

std::string row_text(const Layout& layout, std::string_view label, const Cells& cells,
                     std::string_view note, bool colour) {
  std::string line = std::string(kIndent, ' ') +
                     pad(fit(plain(label), layout.label), layout.label) + std::string(kGap, ' ') +
                     cells.text(colour, note.empty());
  if (!note.empty() && layout.note > 0)
    line += std::string(kGap, ' ') + fit(plain(note), layout.note);
  return trimmed(line);
}

std::string title_text(std::string_view title, std::size_t total) {
  return title.empty() ? std::string() : wrap(plain(title), total);
}

std::string axis_title(std::string_view axis, std::size_t total, std::size_t indent) {
  if (axis.empty()) return {};
  std::string text;
  const std::string lines = wrap(plain(axis), total - indent);
  for (const std::string_view line : split_lines(lines))
    text += trimmed(std::string(indent, ' ') + std::string(line));
  return text;
}

std::size_t column_of(const Scale& scale, double value, std::size_t width) {
  return static_cast<std::size_t>(std::lround(scale.place(value) * static_cast<double>(width - 1)));
}

// Tick labels below their columns; false when two would touch.
bool place_ticks(const Scale& scale, std::size_t width, Cells& line, std::string& labels,
                 const Glyphs& glyphs) {
  std::size_t end = 0;
  for (std::size_t at = 0; at < width; ++at) line.put(at, glyphs.axis);
  labels.clear();
  for (const double tick : scale.ticks) {
    const std::string text = scale.text(tick);
    const std::size_t column = column_of(scale, tick, width);
    if (text.size() > width) return false;
    const std::size_t start =
        std::min(column > text.size() / 2 ? column - text.size() / 2 : 0, width - text.size());
    if (end > 0 && start < end + 2) return false;
    labels = pad(labels, start) + text;
    end = start + text.size();
    line.put(column, glyphs.tick);
  }
  return true;
}

Scale fitting_scale(const std::vector<double>& values, bool powers, std::size_t width,
                    const Glyphs& glyphs) {
  for (std::size_t ticks = std::max<std::size_t>(2, width / 8);; --ticks) {
    Scale scale = make_scale(values, ticks, powers);
    Cells line(width);
    std::string labels;
    if (ticks <= 1 || place_ticks(scale, width, line, labels, glyphs)) return scale;
  }
}

std::string axis_text(const Scale& scale, std::string_view axis, const Layout& layout,
                      const Glyphs& glyphs) {
  Cells line(layout.area);
  std::string labels;
  place_ticks(scale, layout.area, line, labels, glyphs);
  const std::size_t indent = kIndent + layout.label + kGap;
  std::string text = std::string(indent, ' ') + line.text(false, true) + "\n";
  text += trimmed(std::string(indent, ' ') + labels);
  return text + axis_title(axis, layout.total, std::min(indent, layout.total / 2));
}

void mark(Cells& cells, const Scale& scale, const PlotPoint& point, const Glyphs& glyphs) {
  const auto column = [&](double v) { return column_of(scale, v, cells.width()); };
  const bool has_lo = point.lo && !std::isnan(*point.lo);
  const bool has_hi = point.hi && !std::isnan(*point.hi);
  if (!std::isfinite(point.value)) return;
  if (has_lo || has_hi) {
    const std::size_t from = has_lo ? column(*point.lo) : 0;
    const std::size_t to = has_hi ? column(*point.hi) : cells.width() - 1;
    for (std::size_t at = from; at <= to; ++at) cells.put(at, glyphs.line, point.tone);
    if (from < to) {
      cells.put(from, has_lo ? glyphs.left : glyphs.more_left, point.tone);
      cells.put(to, has_hi ? glyphs.right : glyphs.more_right, point.tone);
    }
  }
  const std::string_view dot = point.tone == Tone::broken ? glyphs.broken
                               : point.tone == Tone::open ? glyphs.open
                                                          : glyphs.dot;
  cells.put(column(point.value), dot, point.tone);
}

// A bar of eighths of a column; something, however small, never looks like nothing.
void fill(Cells& cells, double share, Tone tone, bool unicode) {
  static constexpr std::array<std::string_view, 8> kEighths = {"",  "▏", "▎", "▍",
                                                               "▌", "▋", "▊", "▉"};
  if (!(share > 0)) return;
  const double length = std::min(share, 1.0) * static_cast<double>(cells.width());
  if (!unicode) {
    const auto whole = std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(length)));
    for (std::size_t at = 0; at < whole; ++at) cells.put(at, "#", tone);
    return;
  }
  const auto eighths = std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(8 * length)));
  for (std::size_t at = 0; at < eighths / 8; ++at) cells.put(at, "█", tone);
  if (eighths % 8 != 0) cells.put(eighths / 8, kEighths[eighths % 8], tone);
}

// --- lines

// Places have equal parts of the width and stand in their middle, so that labels have room.
std::size_t place_column(std::size_t place, std::size_t places, std::size_t width) {
  return (2 * place + 1) * width / (2 * places);
}

void connect(std::vector<Cells>& rows, std::size_t x0, double y0, std::size_t x1, double y1,
             std::string_view glyph) {
  for (std::size_t x = x0 + 1; x < x1; ++x) {
    const double part = static_cast<double>(x - x0) / static_cast<double>(x1 - x0);
    const auto y = static_cast<std::size_t>(std::lround(y0 + part * (y1 - y0)));
    if (rows[y].is_blank(x)) rows[y].put(x, glyph);
  }
}

// The row of every name, without two on one row, near to where its line ends.
std::vector<std::size_t> spread(const std::vector<std::size_t>& wanted, std::size_t rows) {
  std::vector<std::size_t> order(wanted.size()), found(wanted.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return wanted[i]; });
  std::size_t next = 0;
  for (std::size_t n = 0; n < order.size(); ++n) {
    const std::size_t last = rows - (order.size() - n);  // leaves room for those behind
    found[order[n]] = std::min(std::max(wanted[order[n]], next), last);
    next = found[order[n]] + 1;
  }
  return found;
}

std::string places_text(const LinePlot& plot, std::size_t width) {
  std::string line;
  const std::size_t room = std::max<std::size_t>(1, width / plot.places.size());
  for (std::size_t p = 0; p < plot.places.size(); ++p) {
    const std::string label = fit(plain(plot.places[p]), room > 1 ? room - 1 : 1);
    const std::size_t size = display_width(label);
    const std::size_t column = place_column(p, plot.places.size(), width);
    const std::size_t start =
        std::min(column > size / 2 ? column - size / 2 : 0, width > size ? width - size : 0);
    const std::size_t has = display_width(line);
    if (has > 0 && start <= has) continue;  // no room for this one
    line = pad(line, start) + label;
  }
  return line;
}

}  // namespace

std::string draw(const IntervalPlot& plot, const TextOptions& options) {
  if (plot.points.empty()) return {};
  const Glyphs& glyphs = glyphs_of(options);
  std::size_t label = 0, note = 0;
  std::vector<double> values;
  for (const PlotPoint& point : plot.points) {
    label = std::max(label, display_width(plain(point.label)));
    note = std::max(note, display_width(plain(point.note)));
    values.push_back(point.value);
    for (const auto& end : {point.lo, point.hi})
      if (end) values.push_back(*end);
  }
  for (const auto& across : {plot.reference, plot.band_lo, plot.band_hi})
    if (across) values.push_back(*across);

  const Layout layout = lay_out(total_width(options), label, note);
  const Scale scale = fitting_scale(values, plot.powers, layout.area, glyphs);
  std::string text = title_text(plot.title, layout.total);
  for (const PlotPoint& point : plot.points) {
    Cells cells(layout.area);
    for (const auto& edge : {plot.band_lo, plot.band_hi})
      if (edge && !std::isnan(*edge)) cells.put(column_of(scale, *edge, layout.area), glyphs.edge);
    if (plot.reference && !std::isnan(*plot.reference))
      cells.put(column_of(scale, *plot.reference, layout.area), glyphs.across);
    mark(cells, scale, point, glyphs);
    text += row_text(layout, point.label, cells, point.note, options.colour);
  }
  return text + axis_text(scale, plot.axis, layout, glyphs);
}

std::string draw(const BarPlot& plot, const TextOptions& options) {
  if (plot.bars.empty()) return {};
  std::size_t label = 0, note = 0;
  for (const Bar& bar : plot.bars) {
    label = std::max(label, display_width(plain(bar.label)));
    note = std::max(note, display_width(plain(bar.note)));
  }
  const Layout layout = lay_out(total_width(options), label, note);
  std::string text = title_text(plot.title, layout.total);
  for (const Bar& bar : plot.bars) {
    Cells cells(layout.area);
    fill(cells, plot.full > 0 ? bar.value / plot.full : 0, bar.tone, options.unicode);
    text += row_text(layout, bar.label, cells, bar.note, options.colour);
  }
  return text + axis_title(plot.axis, layout.total, kIndent + layout.label + kGap);
}

std::string draw(const LinePlot& plot, const TextOptions& options) {
  if (plot.places.empty() || plot.lines.empty()) return {};
  const Glyphs& glyphs = glyphs_of(options);
  std::vector<double> values;
  std::size_t name = 0;
  for (const LinePlot::Line& line : plot.lines) {
    name = std::max(name, display_width(plain(line.name)) + 2);
    for (const auto& y : line.y)
      if (y) values.push_back(*y);
  }
  const Scale scale = make_scale(values, 4);
  std::size_t label = 0;
  for (const double tick : scale.ticks) label = std::max(label, scale.text(tick).size());
  Layout layout = lay_out(total_width(options), label, name);
  layout.area = std::min(layout.area, std::max<std::size_t>(30, 12 * plot.places.size()));

  const std::size_t height = std::max(kLineRows, plot.lines.size());
  const auto row_of = [&](double y) {
    return (1 - scale.place(y)) * static_cast<double>(height - 1);
  };
  std::vector<Cells> rows(height, Cells(layout.area));
  std::vector<std::size_t> ends(plot.lines.size(), 0);
  for (std::size_t l = plot.lines.size(); l-- > 0;) {  // the first line lies on top
    std::optional<std::size_t> before;
    const std::vector<std::optional<double>>& y = plot.lines[l].y;
    for (std::size_t p = 0; p < std::min(y.size(), plot.places.size()); ++p) {
      if (!y[p] || !std::isfinite(*y[p])) continue;
      const std::size_t x = place_column(p, plot.places.size(), layout.area);
      if (before)
        connect(rows, place_column(*before, plot.places.size(), layout.area), row_of(*y[*before]),
                x, row_of(*y[p]), glyphs.path);
      ends[l] = static_cast<std::size_t>(std::lround(row_of(*y[p])));
      rows[ends[l]].put(x, glyphs.marks[l % glyphs.marks.size()]);
      before = p;
    }
  }

  std::vector<std::string> names(height), ticks(height);
  const std::vector<std::size_t> at = spread(ends, height);
  for (std::size_t l = 0; l < plot.lines.size(); ++l)
    names[at[l]] = std::string(glyphs.marks[l % glyphs.marks.size()]) + " " + plot.lines[l].name;
  for (const double tick : scale.ticks)
    ticks[static_cast<std::size_t>(std::lround(row_of(tick)))] = scale.text(tick);

  std::string text = title_text(plot.title, layout.total);
  if (!plot.axis.empty()) text += wrap("  " + plain(plot.axis), layout.total, 2);
  for (std::size_t r = 0; r < height; ++r)
    text += row_text(layout, pad_front(ticks[r], layout.label), rows[r], names[r], options.colour);
  return text +
         trimmed(std::string(kIndent + layout.label + kGap, ' ') + places_text(plot, layout.area));
}

}  // namespace assay::report
