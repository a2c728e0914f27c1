// SPDX-License-Identifier: Apache-2.0
// JSON as benchmark tools write it. Two repairs, both on a copy of the same length or shorter, so
// that every offset is one of the file: numbers that are not finite become empty strings, and a
// text that ends in the middle is closed behind the last element that was whole.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "results/reading.hpp"

namespace assay::results {
namespace {

constexpr std::array<std::string_view, 8> kNotFinite = {"-Infinity", "Infinity", "-inf", "inf",
                                                        "-NaN",      "NaN",      "-nan", "nan"};

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Walks over the text outside of strings: visit(offset, character).
template <class Visit>
void outside_strings(std::string_view text, const Visit& visit) {
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (quoted) {
      if (text[i] == '\\')
        ++i;
      else if (text[i] == '"')
        quoted = false;
      continue;
    }
    if (text[i] == '"') quoted = true;
    visit(i, text[i]);
  }
}

std::string without_not_finite(std::string_view text) {
  std::string out(text);
  char before = ' ';
  outside_strings(text, [&](std::size_t at, char c) {
    const bool starts = !is_word(before) && before != '-' && (c == '-' || is_word(c));
    before = c;
    if (!starts) return;
    for (const std::string_view word : kNotFinite) {
      if (!text.substr(at).starts_with(word)) continue;
      const std::size_t end = at + word.size();
      if (end < text.size() && is_word(text[end])) continue;
      std::fill_n(out.begin() + static_cast<std::ptrdiff_t>(at), word.size(), ' ');
      out[at] = out[at + 1] = '"';
      return;
    }
  });
  return out;
}

// The text up to the last element of a list that was whole, closed; empty when there is none.
std::string closed(std::string_view text) {
  std::string open, open_there;
  std::size_t end = 0;
  outside_strings(text, [&](std::size_t at, char c) {
    if (c == '{' || c == '[') open += c == '{' ? '}' : ']';
    if ((c != '}' && c != ']') || open.empty()) return;
    open.pop_back();
    if (open.empty() || open.back() != ']') return;
    end = at + 1;
    open_there = open;
  });
  if (end == 0) return {};
  std::string out(text.substr(0, end));
  out.append(open_there.rbegin(), open_there.rend());
  return out;
}

// Of "offset 17: what": both.
std::pair<std::size_t, std::string> split_offset(const std::string& what) {
  std::size_t offset = 0;
  const auto colon = what.find(": ");
  if (!what.starts_with("offset ") || colon == std::string::npos) return {0, what};
  std::from_chars(what.data() + 7, what.data() + colon, offset);
  return {offset, what.substr(colon + 2)};
}

}  // namespace

Result<ReadJson> read_json(std::string_view text, const std::string& name) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const std::string clean = without_not_finite(text);
  auto json = parse_json(clean, name);
  if (json) return ReadJson{std::move(*json), false};
  const auto [offset, what] = split_offset(json.error().what);
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  if (last == std::string_view::npos) return fail("the file is empty", name);
  if (offset > last + 1) {
    const std::string whole = closed(clean);
    if (!whole.empty())
      if (auto repaired = parse_json(whole, name)) return ReadJson{std::move(*repaired), true};
    return fail(fmt::format("the file ends in the middle (offset {}), and nothing in front of it "
                            "is whole",
                            text.size()),
                name, "the tool was stopped while it wrote, or the disk was full");
  }
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t begin =
      before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  return fail(fmt::format("not JSON: {} (offset {})", what, offset),
              fmt::format("{}:{}:{}", name, line, before.size() - begin));
}

}  // namespace assay::results
