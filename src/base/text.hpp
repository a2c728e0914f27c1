// SPDX-License-Identifier: Apache-2.0
// Numbers and words as people read them, and command lines as a shell splits them.
// Values are base units inside the program (s, B, 1); prefixes appear only here.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace assay {

// Seconds with 3 significant digits and an SI prefix: 0.0381 -> "38.1 ms", 2.314 -> "2.31 s",
// 125 -> "125 s"; from 10 minutes on "10 min", "1 h 40 min".
std::string format_seconds(double seconds);
// A span of time for plans and progress: "40 s", "4 min 10 s", "1 h 5 min".
std::string format_duration(double seconds);
// Bytes with 3 significant digits and an IEC prefix: 43 -> "43 B", 43000000 -> "41.0 MiB".
std::string format_bytes(double bytes);
// A count with 3 significant digits and an SI prefix: 1234567 -> "1.23 M", 12 -> "12".
std::string format_count(double count);
// How many of what: "1 run", "0 runs", "2 processes".
std::string counted(std::uint64_t n, std::string_view noun);
// By unit: "s", "B", "1" (a count) or any other unit, printed behind 3 significant digits.
std::string format_value(double value, std::string_view unit);
// A ratio as a signed change: 1.069 -> "+6.9 %", 0.5 -> "-50 %", 3.2 -> "+220 %"; where a
// percentage says little, as a factor: 2869 -> "x 2869", 0.0004 -> "x 0.0004".
std::string format_change(double ratio);
// The same without unit, for intervals: "+6.9".
std::string format_change_number(double ratio);
// Signed percent without unit, however far: 2869 -> "+286800".
std::string format_percent_number(double ratio);

// Words of a command line as POSIX shells split them: blanks, 'single', "double" with \-escapes,
// backslash. No expansion of any kind. Errors name the column of an unbalanced quote and show it.
Result<std::vector<std::string>> split_command(std::string_view line);
// Where `line` has, outside quotes, what only a shell gives a meaning to.
struct ShellSyntax {
  std::size_t offset = 0;
  bool is_operator = false;  // | & ; < >: it would end or redirect the command; else $ ` * ? [ or ~
};
std::optional<ShellSyntax> find_shell_syntax(std::string_view line);
// Words joined so that split_command gives them back: {"a b", "c"} -> "'a b' c".
std::string join_command(std::span<const std::string> words);

// "1.5s", "300ms", "10m", "2h", "90" (seconds) -> seconds.
Result<double> parse_duration(std::string_view text);
// "400GiB", "1.5G", "64k", "1000" -> bytes; K, M, G, T are powers of 1024 as are KiB...; kB, MB, GB
// powers of 1000.
Result<double> parse_bytes(std::string_view text);
// "5%", "+5%", "0.05" -> 0.05.
Result<double> parse_fraction(std::string_view text);
// The whole text as a number; nothing for anything else, infinities and NaN included.
std::optional<double> parse_number(std::string_view text);

// The source line that contains byte `offset`, and a caret under it:
//   isa = ["avx2", "avx3"]
//                   ^
std::string point_at(std::string_view source, std::size_t offset);

// The candidate nearest to `word` by edit distance, when near enough to be a typing slip.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates);

// Columns a terminal needs for `text` (UTF-8 code points, without colour sequences).
std::size_t display_width(std::string_view text);
// The character at the front of `text`, which is not empty.
struct Utf8 {
  char32_t code = 0;
  std::size_t length = 0;  // bytes; 0 = not UTF-8
};
Utf8 decode_utf8(std::string_view text);
// Text from outside, so that a terminal is never at risk: control characters but those in `kept`
// and bytes that are not UTF-8 as \xNN; C1 controls, line separators and characters that reorder
// the text behind them as \uNNNN.
std::string printable(std::string_view text, std::string_view kept = "\t");
// At most `width` columns: what is longer loses its middle, "encode --le ... out.bin".
std::string shorten(std::string_view text, std::size_t width);
std::vector<std::string_view> split_lines(std::string_view text);

// Whether `pattern` matches the whole of `text`, or all of it in front of a '/': '*' stands for any
// characters, '?' for one. ("BM_Sort/8", "BM_Sort"), ("BM_Sort/8", "*Sort*") and not
// ("BM_SortAll", "BM_Sort").
bool matches_pattern(std::string_view text, std::string_view pattern);

}  // namespace assay
