// SPDX-License-Identifier: Apache-2.0
#include "report/plain.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

namespace assay::report {
namespace {

struct Character {
  char32_t code = 0;
  std::size_t length = 0;  // bytes; 0 = not UTF-8
};

// The character at the front of `text`, which is not empty.
Character decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return {};
  char32_t code = first & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    code = (code << 6) | (byte(i) & 0x3Fu);
  }
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  if (overlong || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return {};
  return {code, length};
}

// C1 controls, line and paragraph separators, and what changes the direction of the text behind it.
bool is_risky(char32_t code) {
  return (code >= 0x80 && code < 0xA0) || code == 0x200E || code == 0x200F ||
         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) || code == 0xFEFF;
}

std::string clean(std::string_view text, bool keep_lines) {
  std::string out;
  while (!text.empty()) {
    const Character c = decode(text);
    if (c.length == 0) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
    } else if (c.code == '\n' || c.code == '\t') {
      out += c.code == '\n' && keep_lines ? '\n' : ' ';
    } else if (is_risky(c.code)) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c.code));
    } else {
      out += printable(text.substr(0, c.length));
    }
    text.remove_prefix(std::max<std::size_t>(c.length, 1));
  }
  return out;
}

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

std::string plain(std::string_view text) { return clean(text, false); }
std::string plain_lines(std::string_view text) { return clean(text, true); }

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
