// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

namespace assay {
namespace {

// `value` with 3 significant digits, without exponent for 0.001 <= |value| < 1e6.
std::string three_digits(double value) {
  const double size = std::fabs(value);
  if (size != 0 && (size < 1e-3 || size >= 1e6)) return fmt::format("{:.3g}", value);
  const int decimals = size >= 99.95 || size == 0 ? 0 : size >= 9.995 ? 1 : size >= 0.9995 ? 2 : 3;
  return fmt::format("{:.{}f}", value, decimals);
}

struct Prefix {
  double scale;
  const char* name;
};

std::string with_prefix(double value, std::span<const Prefix> prefixes) {
  const double size = std::fabs(value);
  for (const Prefix& prefix : prefixes)
    if (size >= prefix.scale * 0.9995)
      return three_digits(value / prefix.scale) + " " + prefix.name;
  const Prefix& last = prefixes.back();
  return three_digits(value / last.scale) + " " + last.name;
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

struct Suffix {
  std::string_view name;
  double scale;
};

// "<number><suffix>" with optional blanks between; nothing when either part is unknown.
std::optional<double> parse_with_suffix(std::string_view text, std::span<const Suffix> suffixes) {
  std::size_t end = text.size();
  while (end > 0 &&
         (std::isalpha(static_cast<unsigned char>(text[end - 1])) || text[end - 1] == '%'))
    --end;
  const std::string_view suffix = text.substr(end);
  std::string_view number = text.substr(0, end);
  while (!number.empty() && number.back() == ' ') number.remove_suffix(1);
  const auto value = parse_number(number);
  if (!value) return std::nullopt;
  for (const Suffix& s : suffixes)
    if (s.name == suffix) return *value * s.scale;
  return std::nullopt;
}

// Insertions, deletions, replacements and swaps of neighbours ("mian") that turn a into b.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(before, above);
    std::swap(above, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = a[i - 1] == b[j - 1];
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (same ? 0u : 1u)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row.back();
}

// C1 controls, line and paragraph separators, and what changes the direction of the text behind it.
bool is_risky(char32_t code) {
  return (code >= 0x80 && code < 0xA0) || code == 0x061C || code == 0x200E || code == 0x200F ||
         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) || code == 0xFEFF;
}

}  // namespace

std::string format_seconds(double seconds) {
  if (std::fabs(seconds) >= 600) return format_duration(seconds);
  if (seconds == 0) return "0 s";
  static constexpr Prefix kPrefixes[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}};
  return with_prefix(seconds, kPrefixes);
}

std::string format_duration(double seconds) {
  constexpr double kLongest = 1e15;  // s, far below what llround can give
  if (seconds > kLongest) return fmt::format("{:.2g} s", seconds);
  const auto whole = static_cast<long long>(std::llround(std::max(0.0, seconds)));
  if (whole < 1 && seconds > 0) return "under 1 s";
  if (whole < 60) return fmt::format("{} s", whole);
  const auto two = [](long long big, const char* big_unit, long long small,
                      const char* small_unit) {
    return small == 0 ? fmt::format("{} {}", big, big_unit)
                      : fmt::format("{} {} {} {}", big, big_unit, small, small_unit);
  };
  if (whole < 600) return two(whole / 60, "min", whole % 60, "s");
  const long long minutes = std::llround(static_cast<double>(whole) / 60);
  if (minutes < 60) return fmt::format("{} min", minutes);
  if (minutes < 48 * 60) return two(minutes / 60, "h", minutes % 60, "min");
  return two(minutes / 1440, "d", minutes % 1440 / 60, "h");
}

std::string format_bytes(double bytes) {
  if (std::fabs(bytes) < 1024) return fmt::format("{:.0f} B", bytes);
  static constexpr Prefix kPrefixes[] = {
      {0x1p40, "TiB"}, {0x1p30, "GiB"}, {0x1p20, "MiB"}, {0x1p10, "KiB"}};
  return with_prefix(bytes, kPrefixes);
}

std::string format_count(double count) {
  if (std::fabs(count) < 1e4 && count == std::floor(count)) return fmt::format("{:.0f}", count);
  if (std::fabs(count) < 1000) return three_digits(count);
  static constexpr Prefix kPrefixes[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}};
  return with_prefix(count, kPrefixes);
}

std::string counted(std::uint64_t n, std::string_view noun) {
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : noun.ends_with('s') ? "es" : "s");
}

std::string format_value(double value, std::string_view unit) {
  if (unit == "s") return format_seconds(value);
  if (unit == "B") return format_bytes(value);
  if (unit == "1" || unit.empty()) return format_count(value);
  return three_digits(value) + " " + std::string(unit);
}

static bool is_many_times(double ratio) { return ratio >= 20 || (ratio > 0 && ratio < 1e-3); }

std::string format_percent_number(double ratio) {
  const double percent = (ratio - 1) * 100;
  const double size = std::fabs(percent);
  std::string text = size >= 1e6 ? fmt::format("{:+.2g}", percent)
                     : ratio > 0 && percent < -98.95
                         ? fmt::format("{:+.{}f}", percent, ratio < 1e-3 ? 2 : 1)
                     : size >= 9.95               ? fmt::format("{:+.0f}", percent)
                     : size >= 0.095 || size == 0 ? fmt::format("{:+.1f}", percent)
                                                  : fmt::format("{:+.2f}", percent);
  if (text.find_first_not_of("+-0.") == std::string::npos) text.front() = '+';
  return text;
}

std::string format_change_number(double ratio) {
  if (!is_many_times(ratio)) return format_percent_number(ratio);
  return ratio >= 20 && ratio < 1e6 ? fmt::format("x {:.{}f}", ratio, ratio < 99.95 ? 1 : 0)
                                    : fmt::format("x {:.2g}", ratio);
}

std::string format_change(double ratio) {
  return format_change_number(ratio) + (is_many_times(ratio) ? "" : " %");
}

Result<std::vector<std::string>> split_command(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (is_blank(c)) {
      if (in_word) words.push_back(std::move(word));
      word.clear();
      in_word = false;
      continue;
    }
    in_word = true;
    if (c == '\\') {
      if (++i == line.size())
        return fail(fmt::format("column {}: a backslash ends the command", i), std::string(line));
      if (line[i] != '\n') word += line[i];
    } else if (c == '\'' || c == '"') {
      const std::size_t open = i;
      for (++i; i < line.size() && line[i] != c; ++i) {
        const bool escape =
            c == '"' && line[i] == '\\' && i + 1 < line.size() &&
            std::string_view("\"\\$`\n").find(line[i + 1]) != std::string_view::npos;
        if (escape) ++i;
        if (!escape || line[i] != '\n') word += line[i];
      }
      if (i == line.size())
        return fail(fmt::format("column {}: this quote is never closed\n{}", open + 1,
                                point_at(line, open)),
                    {}, fmt::format("close it with another {}, or escape it as \\{}", c, c));
    } else {
      word += c;
    }
  }
  if (in_word) words.push_back(std::move(word));
  return words;
}

std::optional<ShellSyntax> find_shell_syntax(std::string_view line) {
  std::optional<ShellSyntax> expansion;
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '\\' && quote != '\'') {
      ++i;
    } else if (quote != 0) {
      if (c == quote) quote = 0;
      if (quote == '"' && (c == '$' || c == '`') && !expansion) expansion = ShellSyntax{i, false};
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (std::string_view("|&;<>").find(c) != std::string_view::npos) {
      return ShellSyntax{i, true};
    } else if (!expansion && (std::string_view("$`*?[").find(c) != std::string_view::npos ||
                              (c == '~' && (i == 0 || is_blank(line[i - 1]))))) {
      expansion = ShellSyntax{i, false};
    }
  }
  return expansion;
}

std::string join_command(std::span<const std::string> words) {
  static constexpr std::string_view kSafe =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%^";
  std::string line;
  for (const std::string& word : words) {
    if (&word != &words.front()) line += ' ';
    if (!word.empty() && word.find_first_not_of(kSafe) == std::string::npos) {
      line += word;
      continue;
    }
    line += '\'';
    for (const char c : word) {
      if (c == '\'')
        line += "'\\''";
      else
        line += c;
    }
    line += '\'';
  }
  return line;
}

Result<double> parse_duration(std::string_view text) {
  static constexpr Suffix kSuffixes[] = {{"", 1},     {"s", 1},  {"ms", 1e-3}, {"us", 1e-6},
                                         {"min", 60}, {"m", 60}, {"h", 3600},  {"d", 86400}};
  const auto value = parse_with_suffix(text, kSuffixes);
  if (!value || *value < 0)
    return fail(fmt::format("'{}' is not a duration", printable(text)), {},
                "write 300ms, 20s, 10m or 2h");
  return *value;
}

Result<double> parse_bytes(std::string_view text) {
  static constexpr Suffix kSuffixes[] = {
      {"", 1},         {"B", 1},        {"K", 0x1p10}, {"k", 0x1p10},   {"KiB", 0x1p10},
      {"M", 0x1p20},   {"MiB", 0x1p20}, {"G", 0x1p30}, {"GiB", 0x1p30}, {"T", 0x1p40},
      {"TiB", 0x1p40}, {"kB", 1e3},     {"MB", 1e6},   {"GB", 1e9},     {"TB", 1e12}};
  const auto value = parse_with_suffix(text, kSuffixes);
  if (!value || *value < 0)
    return fail(fmt::format("'{}' is not an amount of memory", printable(text)), {},
                "write 512MiB, 400GiB or a number of bytes");
  return *value;
}

Result<double> parse_fraction(std::string_view text) {
  static constexpr Suffix kSuffixes[] = {{"", 1}, {"%", 0.01}};
  const auto value = parse_with_suffix(text, kSuffixes);
  if (!value)
    return fail(fmt::format("'{}' is not a percentage", printable(text)), {}, "write 2% or 0.02");
  return *value;
}

std::optional<double> parse_number(std::string_view text) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

std::string point_at(std::string_view source, std::size_t offset) {
  offset = std::min(offset, source.size());
  const std::size_t before = offset == 0 ? std::string_view::npos : source.rfind('\n', offset - 1);
  const std::size_t start = before == std::string_view::npos ? 0 : before + 1;
  std::size_t end = source.find('\n', offset);
  if (end == std::string_view::npos) end = source.size();
  return "  " + printable(source.substr(start, end - start)) + "\n  " +
         std::string(display_width(printable(source.substr(start, offset - start))), ' ') + "^";
}

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates) {
  const std::string* best = nullptr;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = &candidate;
    }
  }
  if (best == nullptr) return std::nullopt;
  return *best;
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b' && i + 1 < text.size() && text[i + 1] == '[') {
      i += 2;
      while (i < text.size() && !std::isalpha(static_cast<unsigned char>(text[i]))) ++i;
      continue;
    }
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) ++width;
  }
  return width;
}

Utf8 decode_utf8(std::string_view text) {
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

std::string printable(std::string_view text, std::string_view kept) {
  std::string out;
  while (!text.empty()) {
    const Utf8 c = decode_utf8(text);
    const std::size_t length = std::max<std::size_t>(c.length, 1);
    const bool control = c.code < 0x20 || c.code == 0x7F;
    if (c.length == 0 || (control && kept.find(text.front()) == std::string_view::npos))
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
    else if (is_risky(c.code))
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c.code));
    else
      out += text.substr(0, length);
    text.remove_prefix(length);
  }
  return out;
}

std::string shorten(std::string_view text, std::size_t width) {
  constexpr std::string_view kGap = " ... ";
  if (width <= kGap.size() || display_width(text) <= width) return std::string(text);
  const auto is_inside = [&](std::size_t i) {
    return i < text.size() && (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80;
  };
  const std::size_t room = width - kGap.size(), back_width = room / 2;
  std::size_t front = 0, back = text.size();
  for (std::size_t columns = 0; columns < room - back_width; ++columns) do
      ++front;
    while (is_inside(front));
  for (std::size_t columns = 0; columns < back_width; ++columns) do
      --back;
    while (is_inside(back));
  return fmt::format("{}{}{}", text.substr(0, front), kGap, text.substr(back));
}

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

bool matches_pattern(std::string_view text, std::string_view pattern) {
  // Two pointers: on a mismatch the last '*' takes one character more. Linear in text x stars.
  std::size_t t = 0, p = 0, star = std::string_view::npos, resume = 0;
  for (;;) {
    const bool ended = p == pattern.size() && (t == text.size() || text[t] == '/');
    if (ended) return true;
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && t < text.size() &&
               (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos && resume < text.size()) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
}

}  // namespace assay
