// SPDX-License-Identifier: Apache-2.0
// Text that comes from outside (labels, commands, stderr, stored warnings) made safe to print, and
// the few layout helpers of the text writers. Widths are columns (display_width of base/text).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "report/options.hpp"

namespace assay::report {

// One printable line: line breaks and tabs become blanks; other control characters (C1 too), bytes
// that are not UTF-8 and characters that reorder text become visible escapes such as \x1b or
// \u202e.
std::string plain(std::string_view text);
// The same, but line feeds stay.
std::string plain_lines(std::string_view text);

// `text` cut to `width` columns, ending in "..." when cut; width 0 = no limit.
std::string fit(std::string_view text, std::size_t width);
std::string pad(std::string text, std::size_t width);        // blanks behind
std::string pad_front(std::string text, std::size_t width);  // blanks before

// Lines of at most `width` columns, broken at blanks (inside a word only when it is longer than a
// line; a number and its unit stay together), each ended by a newline; all but the first are
// indented by `hanging`. Width 0 = one line.
std::string wrap(std::string_view text, std::size_t width, std::size_t hanging = 0);

// The limit that TextOptions ask for: 0, or at least 40.
std::size_t columns(const TextOptions& options);

enum class Tone { neutral, strong, good, bad, open, broken };
std::string paint(std::string_view text, Tone tone, bool colour);

}  // namespace assay::report
