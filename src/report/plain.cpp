// SPDX-License-Identifier: Apache-2.0
#include "report/plain.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

namespace assay::report {
namespace {

// The longest front of `text` that is at most `width` columns wide.
std::string_view front_columns(std::string_view text, std::size_t width) {
  std::size_t end = 0, seen = 0;
  for (; end < text.size(); ++end) {
    if ((static_cast<unsigned char>(text[end]) & 0xC0) != 0x80 && ++seen > width) break;
  }
  return text.substr(0, end);
}

// "2 %", "2.31 s": whether the blank at `blank` stands between a number and its unit.
bool is_before_unit(std::string_view text, std::size_t blank) {
  std::string_view unit = text.substr(blank + 1);
  if (unit.starts_with('%')) return true;
  if (blank == 0 || text[blank - 1] < '0' || text[blank - 1] > '9') return false;
  unit = unit.substr(0, unit.find_first_of(" .,;:)]"));
  static constexpr std::string_view kUnits[] = {"s",   "ms",  "us",  "ns",  "min", "h", "d", "B",
                                                "KiB", "MiB", "GiB", "TiB", "k",   "M", "G", "T"};
  return std::find(std::begin(kUnits), std::end(kUnits), unit) != std::end(kUnits);
}

}  // namespace

std::string plain(std::string_view text) {
  std::string line = printable(text, "\t\n");
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\t' || c == '\n'; }, ' ');
  return line;
}

std::string plain_lines(std::string_view text) {
  std::string lines = printable(text, "\t\n");
  std::replace(lines.begin(), lines.end(), '\t', ' ');
  return lines;
}

std::string fit(std::string_view text, std::size_t width) {
  if (width == 0 || display_width(text) <= width) return std::string(text);
  if (width <= 3) return std::string(front_columns(text, width));
  return std::string(front_columns(text, width - 3)) + "...";
}

std::string pad(std::string text, std::size_t width) {
  const std::size_t has = display_width(text);
  return has < width ? std::move(text) + std::string(width - has, ' ') : text;
}

std::string pad_front(std::string text, std::size_t width) {
  const std::size_t has = display_width(text);
  return has < width ? std::string(width - has, ' ') + text : text;
}

std::string wrap(std::string_view text, std::size_t width, std::size_t hanging) {
  if (width == 0) return std::string(text) + "\n";
  std::string out, line;
  std::size_t used = 0;
  bool empty = true;  // nothing but the indent on this line
  const auto flush = [&] {
    while (!line.empty() && line.back() == ' ') line.pop_back();
    out += line + "\n";
    line.assign(hanging, ' ');
    used = hanging;
    empty = true;
  };
  while (!text.empty()) {
    std::size_t blank = text.find(' ');
    while (blank != std::string_view::npos && is_before_unit(text, blank))
      blank = text.find(' ', blank + 1);
    std::string_view word = text.substr(0, blank);
    text.remove_prefix(blank == std::string_view::npos ? text.size() : blank + 1);
    const std::size_t gap = empty ? 0 : 1;
    if (used + gap + display_width(word) > width && !empty) flush();
    while (used + display_width(word) > width && used < width && empty) {
      const std::string_view part = front_columns(word, width - used);
      line += part;
      word.remove_prefix(part.size());
      flush();
    }
    if (!empty) line += ' ';
    used += (empty ? 0 : 1) + display_width(word);
    line += word;
    empty = false;
  }
  if (!empty) flush();
  return out;
}

std::size_t columns(const TextOptions& options) {
  return options.width == 0 ? 0 : std::max<std::size_t>(options.width, 40);
}

std::string paint(std::string_view text, Tone tone, bool colour) {
  if (!colour || tone == Tone::neutral || text.empty()) return std::string(text);
  const char* code = tone == Tone::good     ? "32"
                     : tone == Tone::bad    ? "1;31"
                     : tone == Tone::broken ? "1;35"
                     : tone == Tone::open   ? "33"
                                            : "1";
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

}  // namespace assay::report
