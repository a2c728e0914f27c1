// SPDX-License-Identifier: Apache-2.0
#include "plan/document.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#define TOML_UNRELEASED_FEATURES 0
#define TOML_MAX_NESTED_VALUES 16  // a plan needs 3
#include <toml++/toml.h>

namespace assay::plan {
namespace {

constexpr std::size_t kLongestText = std::size_t{1} << 20;
// toml++ nests a table for every dot of a key and frees them recursively. A key does not span
// lines, so a bound on the dots of a line bounds the depth (times the 16 nested values above).
constexpr std::size_t kMostDots = 250;
constexpr std::size_t kShownBefore = 100, kShownBehind = 60;  // bytes around a caret in a long line

bool may_belong_to_key(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '"' || c == '\'';
}

// Dots that could join two parts of a key, strings not told apart.
std::size_t key_dots(std::string_view line) {
  std::size_t dots = 0;
  char before = ' ';  // the last character that is not blank
  bool open = false;  // behind a dot whose other side is not known yet
  for (const char c : line) {
    if (c == ' ' || c == '\t') continue;
    if (open && may_belong_to_key(c)) ++dots;
    open = c == '.' && may_belong_to_key(before);
    before = c;
  }
  return dots;
}

Position to_position(const toml::source_position& position) {
  return {std::max<std::uint32_t>(1, position.line), std::max<std::uint32_t>(1, position.column)};
}

// The byte that a position means; the end of the text when it lies behind it.
std::size_t to_offset(std::string_view text, Position at) {
  std::size_t offset = 0;
  for (std::uint32_t line = 1; line < at.line; ++line) {
    const std::size_t end = text.find('\n', offset);
    if (end == std::string_view::npos) return text.size();
    offset = end + 1;
  }
  const auto is_inside = [&](std::size_t i) {  // of a code point that began before
    return i < text.size() && (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80;
  };
  for (std::uint32_t column = 1; column < at.column && offset < text.size() && text[offset] != '\n';
       ++column)
    for (++offset; is_inside(offset);) ++offset;
  return offset;
}

Node convert(const toml::node& node);

Node::Table convert_table(const toml::table& table) {
  Node::Table members;
  for (const auto& [key, value] : table)
    members.push_back({std::string(key.str()), to_position(key.source().begin), convert(value)});
  std::ranges::stable_sort(members, [](const Node::Member& a, const Node::Member& b) {
    return a.at.line != b.at.line ? a.at.line < b.at.line : a.at.column < b.at.column;
  });
  return members;
}

Node convert(const toml::node& node) {
  Node result{to_position(node.source().begin), OtherValue{}};
  if (const auto* text = node.as_string())
    result.value = text->get();
  else if (const auto* whole = node.as_integer())
    result.value = std::int64_t{whole->get()};
  else if (const auto* number = node.as_floating_point())
    result.value = number->get();
  else if (const auto* truth = node.as_boolean())
    result.value = truth->get();
  else if (const auto* table = node.as_table())
    result.value = convert_table(*table);
  if (const auto* array = node.as_array()) {
    Node::Array items;
    for (const toml::node& item : *array) items.push_back(convert(item));
    result.value = std::move(items);
  }
  return result;
}

}  // namespace

std::string_view Node::kind() const {
  static constexpr std::string_view kKinds[] = {"a string", "a number", "a number", "true or false",
                                                "a list",   "a table",  "a date"};
  return kKinds[value.index()];
}

Error Document::error(Position at, const std::string& what, const std::string& remark,
                      const std::string& hint) const {
  const std::size_t offset = to_offset(text_, at);
  std::size_t first = offset > kShownBefore ? offset - kShownBefore : 0;
  while (first < offset && (static_cast<unsigned char>(text_[first]) & 0xC0) == 0x80) ++first;
  const std::string_view part =
      std::string_view(text_).substr(first, offset - first + kShownBehind);
  return {fmt::format("{}\n{}{}{}", what, point_at(part, offset - first), remark.empty() ? "" : " ",
                      remark),
          fmt::format("{}:{}:{}", file_, at.line, at.column), hint};
}

Result<Document> Document::parse(std::string_view text, const std::string& file) {
  if (text.size() > kLongestText)
    return fail(fmt::format("longer than {}", format_bytes(kLongestText)), file,
                "is this a file of plans?");
  Document document(text, file);
  std::uint32_t line_number = 0;
  for (const std::string_view line : split_lines(text)) {
    ++line_number;
    if (key_dots(line) > kMostDots)
      return fail(
          fmt::format("more than {} dots between words in one line", kMostDots),
          fmt::format("{}:{}", file, line_number),
          "break a long command up: a \"\"\"string\"\"\" may go on after a \\ at the end of "
          "a line");
  }
  const toml::parse_result parsed = toml::parse(text, std::string_view(file));
  if (!parsed) {
    const toml::parse_error& error = parsed.error();
    return fail(document.error(to_position(error.source().begin),
                               "not valid TOML: " + printable(error.description())));
  }
  document.root_ = {Position{}, convert_table(parsed.table())};
  return document;
}

}  // namespace assay::plan
