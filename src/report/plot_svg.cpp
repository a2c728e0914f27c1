// SPDX-License-Identifier: Apache-2.0
// The plots as SVG. Colours come from the classes of the page (report/page.cpp); marks and dashes
// differ in shape too, so that print in black says the same.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.hpp"
#include "report/page.hpp"
#include "report/plot.hpp"
#include "report/plot_scale.hpp"

namespace assay::report {
namespace {

constexpr double kWidth = 760, kRow = 24, kLetter = 7.4;  // px; a letter at 12 px is about so wide
constexpr std::size_t kMostLetters = 34;
constexpr double kLinesHeight = 240;

std::string_view class_of(Tone tone) {
  switch (tone) {
    case Tone::strong:
      return "strong";
    case Tone::good:
      return "good";
    case Tone::bad:
      return "bad";
    case Tone::open:
      return "open";
    case Tone::broken:
      return "broken";
    case Tone::neutral:
      break;
  }
  return "plain";
}

double text_width(std::string_view text) {
  return kLetter * static_cast<double>(std::min(display_width(text), kMostLetters));
}

// What is too long keeps its whole text as a title.
std::string words(double x, double y, std::string_view anchor, std::string_view text,
                  std::string_view css = "") {
  const std::string shown = fit(plain(text), kMostLetters);
  std::string element =
      fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"", x, y, anchor);
  if (!css.empty()) element += fmt::format(" class=\"{}\"", css);
  element += ">" + escape_html(shown);
  if (shown != plain(text)) element += "<title>" + escape_html(text) + "</title>";
  return element + "</text>\n";
}

std::string line(double x1, double y1, double x2, double y2, std::string_view css) {
  return fmt::format(
      "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" class=\"{}\"/>\n", x1, y1, x2,
      y2, css);
}

// Disc, ring, square, frame, triangle, diamond.
std::string shape(std::size_t kind, double x, double y, std::string_view css) {
  const auto path = [&](std::string_view d, std::string_view filled) {
    return fmt::format("<path d=\"M{:.1f} {:.1f}{}\" class=\"{} {}\"/>\n", x, y, d, filled, css);
  };
  switch (kind % 6) {
    case 0:
      return path("m-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z", "mark");
    case 1:
      return path("m-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z", "mark hollow");
    case 2:
      return path("m-4 -4h8v8h-8z", "mark");
    case 3:
      return path("m-4 -4h8v8h-8z", "mark hollow");
    case 4:
      return path("m0 -5l5 9h-10z", "mark");
    default:
      return path("m0 -5l5 5l-5 5l-5 -5z", "mark");
  }
}

std::string dot(double x, double y, Tone tone) {
  if (tone == Tone::broken)
    return fmt::format(
        "<path d=\"M{:.1f} {:.1f}m-4 -4l8 8m0 -8l-8 8\" class=\"mark cross broken\"/>\n", x, y);
  const std::size_t kind = tone == Tone::open   ? 1
                           : tone == Tone::bad  ? 2
                           : tone == Tone::good ? 5
                                                : 0;
  return shape(kind, x, y, class_of(tone));
}

std::string opening(std::string_view title, double height) {
  return fmt::format(
      "<svg class=\"plot\" role=\"img\" viewBox=\"0 0 {:.0f} {:.0f}\" "
      "xmlns=\"http://www.w3.org/2000/svg\">\n<title>{}</title>\n",
      kWidth, height, escape_html(title));
}

// Where labels end, the drawing lies and notes begin.
struct Frame {
  double left = 0, right = kWidth, top = 8;
  double x(const Scale& scale, double value) const {
    return left + scale.place(value) * (right - left);
  }
};

template <typename Points>
Frame frame_of(const Points& points) {
  double label = 0, note = 0;
  for (const auto& point : points) {
    label = std::max(label, text_width(plain(point.label)));
    note = std::max(note, text_width(plain(point.note)));
  }
  return {.left = label + 16, .right = kWidth - (note > 0 ? note + 16 : 12)};
}

std::string grid(const Scale& scale, const Frame& frame, double bottom) {
  std::string out;
  for (const double tick : scale.ticks) {
    const double x = frame.x(scale, tick);
    out += line(x, frame.top, x, bottom, "grid") +
           words(x, bottom + 16, "middle", scale.text(tick), "tick");
  }
  return out + line(frame.left, bottom, frame.right, bottom, "axis");
}

std::string interval(const PlotPoint& point, const Scale& scale, const Frame& frame, double y) {
  if (!std::isfinite(point.value)) return {};
  std::string out;
  const bool has_lo = point.lo && !std::isnan(*point.lo);
  const bool has_hi = point.hi && !std::isnan(*point.hi);
  if (has_lo || has_hi) {
    const double lo = has_lo ? frame.x(scale, *point.lo) : frame.left;
    const double hi = has_hi ? frame.x(scale, *point.hi) : frame.right;
    const std::string css = fmt::format("span {}", class_of(point.tone));
    out += line(lo, y, hi, y, css);
    if (has_lo) out += line(lo, y - 4, lo, y + 4, css);
    if (has_hi) out += line(hi, y - 4, hi, y + 4, css);
  }
  return out + dot(frame.x(scale, point.value), y, point.tone);
}

}  // namespace

std::string svg(const IntervalPlot& plot) {
  if (plot.points.empty()) return {};
  std::vector<double> values;
  for (const PlotPoint& point : plot.points) {
    values.push_back(point.value);
    for (const auto& end : {point.lo, point.hi})
      if (end) values.push_back(*end);
  }
  for (const auto& across : {plot.reference, plot.band_lo, plot.band_hi})
    if (across) values.push_back(*across);
  const Frame frame = frame_of(plot.points);
  const Scale scale = make_scale(values, 7, plot.powers);
  const double bottom = frame.top + kRow * static_cast<double>(plot.points.size());

  std::string out = opening(plot.title, bottom + 44);
  if (plot.band_lo && plot.band_hi && *plot.band_lo <= *plot.band_hi) {
    const double lo = frame.x(scale, *plot.band_lo), hi = frame.x(scale, *plot.band_hi);
    out += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" class=\"band\"/>\n", lo,
        frame.top, std::max(0.0, hi - lo), bottom - frame.top);
  }
  out += grid(scale, frame, bottom);
  if (plot.reference && !std::isnan(*plot.reference)) {
    const double x = frame.x(scale, *plot.reference);
    out += line(x, frame.top, x, bottom, "ref");
  }
  double y = frame.top + kRow / 2;
  for (const PlotPoint& point : plot.points) {
    out += words(frame.left - 10, y + 4, "end", point.label) + interval(point, scale, frame, y);
    if (!point.note.empty()) out += words(frame.right + 12, y + 4, "start", point.note, "note");
    y += kRow;
  }
  out += words((frame.left + frame.right) / 2, bottom + 36, "middle", plot.axis, "title");
  return out + "</svg>\n";
}

std::string svg(const BarPlot& plot) {
  if (plot.bars.empty()) return {};
  const Frame frame = frame_of(plot.bars);
  const double bottom = frame.top + kRow * static_cast<double>(plot.bars.size());
  std::string out = opening(plot.title, bottom + 28);
  double y = frame.top;
  for (const Bar& bar : plot.bars) {
    const double share = plot.full > 0 && bar.value > 0 ? std::min(1.0, bar.value / plot.full) : 0;
    out += words(frame.left - 10, y + 16, "end", bar.label);
    if (share > 0)
      out += fmt::format(
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" class=\"bar {}\"/>\n",
          frame.left, y + 4, std::max(1.0, share * (frame.right - frame.left)), kRow - 8,
          class_of(bar.tone));
    if (!bar.note.empty()) out += words(frame.right + 12, y + 16, "start", bar.note, "note");
    y += kRow;
  }
  out += line(frame.left, frame.top, frame.left, bottom, "axis");
  out += words((frame.left + frame.right) / 2, bottom + 20, "middle", plot.axis, "title");
  return out + "</svg>\n";
}

std::string svg(const LinePlot& plot) {
  if (plot.places.empty() || plot.lines.empty()) return {};
  std::vector<double> values;
  double name = 0;
  for (const LinePlot::Line& one : plot.lines) {
    name = std::max(name, text_width(plain(one.name)));
    for (const auto& y : one.y)
      if (y) values.push_back(*y);
  }
  const Scale scale = make_scale(values, 5);
  const double left = 64, right = kWidth - name - 40, top = 28;
  const double height = std::max(kLinesHeight, 18 * static_cast<double>(plot.lines.size()));
  const double bottom = top + height;
  const auto x_of = [&](std::size_t place) {
    const std::size_t places = plot.places.size();
    if (places < 2) return (left + right) / 2;
    const double part = static_cast<double>(place) / static_cast<double>(places - 1);
    return left + 30 + part * (right - left - 60);
  };
  const auto y_of = [&](double y) { return bottom - scale.place(y) * height; };

  std::string out = opening(plot.title, bottom + 28) + words(8, 14, "start", plot.axis, "title");
  for (const double tick : scale.ticks)
    out += line(left, y_of(tick), right, y_of(tick), "grid") +
           words(left - 8, y_of(tick) + 4, "end", scale.text(tick), "tick");
  for (std::size_t p = 0; p < plot.places.size(); ++p)
    out += words(x_of(p), bottom + 20, "middle", plot.places[p]);
  std::vector<std::pair<double, std::size_t>> ends;  // y of the name, line
  for (std::size_t l = 0; l < plot.lines.size(); ++l) {
    std::string path, marks;
    double end = bottom;
    for (std::size_t p = 0; p < std::min(plot.lines[l].y.size(), plot.places.size()); ++p) {
      const auto& y = plot.lines[l].y[p];
      if (!y || !std::isfinite(*y)) continue;
      end = y_of(*y);
      path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x_of(p), end);
      marks += shape(l, x_of(p), end, fmt::format("line{}", l % 6));
    }
    if (path.empty()) continue;
    out += fmt::format("<path d=\"{}\" class=\"path line{}\"/>\n", path, l % 6) + marks;
    ends.emplace_back(end, l);
  }
  std::ranges::sort(ends);
  double free = top - 18;
  for (std::size_t n = 0; n < ends.size(); ++n) {
    const double last = bottom - 16 * static_cast<double>(ends.size() - 1 - n);
    const double y = std::min(std::max(ends[n].first, free + 16), last);
    out += shape(ends[n].second, right + 12, y, fmt::format("line{}", ends[n].second % 6)) +
           words(right + 24, y + 4, "start", plot.lines[ends[n].second].name);
    free = y;
  }
  return out + "</svg>\n";
}

}  // namespace assay::report
