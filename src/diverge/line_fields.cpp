// SPDX-License-Identifier: Apache-2.0
#include "diverge/line_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "base/digest.hpp"
#include "base/json.hpp"
#include "base/text.hpp"

namespace assay::diverge {
namespace {

constexpr std::size_t kMostValue = 256;
constexpr std::size_t kLeastBareHex = 16;

bool is_hex_digit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
bool is_hex(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_hex_digit);
}
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
// What a name may consist of: beside one of these a name is a part of a longer one.
bool is_name(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         c == '-' || c == '.';
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// The last part of a pointer, which a line must contain to have the member.
std::string_view last_part(std::string_view name) {
  if (!name.starts_with('/')) return name;
  return name.substr(name.rfind('/') + 1);
}

const Json* member_of(const Json& object, const std::string& name) {
  return name.starts_with('/') ? object.at_pointer(name) : object.find(name);
}

// A string as it is, anything else as it is written; null is no value.
std::optional<std::string> text_of(const Json* value) {
  if (value == nullptr || value->is_null()) return {};
  if (const std::string* text = value->to_string()) return *text;
  return value->dump();
}

// The value at the front of `text`: quoted, or up to what cannot belong to it.
std::string value_at(std::string_view text) {
  if (text.starts_with('"') || text.starts_with('\'')) {
    const char quote = text.front();
    std::string value;
    for (std::size_t i = 1; i < text.size() && text[i] != quote; ++i) {
      if (text[i] == '\\' && i + 1 < text.size()) ++i;
      value += text[i];
    }
    return value;
  }
  return std::string(text.substr(0, text.find_first_of(" \t\r,;)]}>\"'")));
}

}  // namespace

std::optional<std::string> text_field(std::string_view line, std::string_view name) {
  for (std::size_t at = line.find(name); at != std::string_view::npos;
       at = line.find(name, at + 1)) {
    if (at > 0 && is_name(line[at - 1])) continue;
    std::size_t p = at + name.size();
    const bool quoted = at > 0 && (line[at - 1] == '"' || line[at - 1] == '\'');
    if (quoted && p < line.size() && line[p] == line[at - 1]) ++p;
    while (p < line.size() && is_blank(line[p])) ++p;
    if (p >= line.size() || (line[p] != '=' && line[p] != ':')) continue;
    ++p;
    while (p < line.size() && is_blank(line[p])) ++p;
    std::string value = value_at(line.substr(p));
    if (!value.empty()) return value;
  }
  return {};
}

namespace {

constexpr std::size_t kMostDepth = 4;

// The members of an object and of those inside it; `path` is "" or "/data".
void add_members(const Json& object, const std::string& path, std::size_t depth,
                 std::vector<std::string>& names) {
  for (const auto& [name, value] : object.members()) {
    if (value.is_object() && depth < kMostDepth)
      add_members(value, path + "/" + name, depth + 1, names);
    else if (text_of(&value) && !value.is_object() && !value.is_array())
      names.push_back(path.empty() ? name : path + "/" + name);
  }
}

}  // namespace

std::vector<std::string> names_in(std::string_view line) {
  std::vector<std::string> names;
  if (trimmed(line).starts_with('{')) {
    const Result<Json> object = parse_json(line);
    if (object && object->is_object()) add_members(*object, "", 1, names);
    return names;
  }
  for (std::size_t at = line.find_first_of("=:"); at != std::string_view::npos;
       at = line.find_first_of("=:", at + 1)) {
    std::string_view front = line.substr(0, at);
    while (!front.empty() && is_blank(front.back())) front.remove_suffix(1);
    if (front.ends_with('"') || front.ends_with('\'')) front.remove_suffix(1);
    std::size_t begin = front.size();
    while (begin > 0 && is_name(front[begin - 1])) --begin;
    const std::string_view name = front.substr(begin);
    const bool is_number = name.find_first_not_of("0123456789.-") == std::string_view::npos;
    if (!is_number && text_field(line, name)) names.emplace_back(name);
  }
  return names;
}

std::optional<std::int64_t> parse_step(std::string_view text) {
  text = trimmed(text);
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    base = 16;
    text.remove_prefix(2);
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return {};
  if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return {};
  return negative ? -static_cast<std::int64_t>(value) : static_cast<std::int64_t>(value);
}

std::string comparable(std::string_view value, bool bare_hex) {
  value = trimmed(value);
  std::string text(value);
  const bool has_prefix = value.starts_with("0x") || value.starts_with("0X");
  if (has_prefix ? is_hex(value.substr(2))
                 : is_hex(value) && (bare_hex || value.size() >= kLeastBareHex)) {
    std::ranges::transform(text, text.begin(), lower);
    if (bare_hex && !has_prefix) text.insert(0, "0x");
  }
  if (text.size() <= kMostValue) return text;
  return fmt::format("sha256:{} ({} bytes)", sha256(text), text.size());
}

Result<LineFields> LineFields::make(FieldOptions options) {
  if (options.key.empty()) return fail("--key is empty", {}, "the name of the step, such as slot");
  if (options.value.empty())
    return fail("--value is empty", {}, "the name of the answer, such as state_root");
  LineFields fields(std::move(options));
  const FieldOptions& o = fields.options_;
  if (o.pattern.empty()) return fields;
  auto regex = trace::Regex::compile(o.pattern);
  if (!regex)
    return fail(fmt::format("--pattern: {}", regex.error().what), {}, regex.error().remark);
  fields.regex_ = *regex;
  const std::vector<std::string>& names = fields.regex_->group_names();
  const auto group = [&](const std::string& name, std::size_t& into) -> Result<void> {
    const auto found = std::ranges::find(names, name);
    if (found == names.end())
      return fail(fmt::format("--pattern has no group '{}'", printable(name)), {},
                  fmt::format("write it as (?P<{}>...)", printable(name)));
    into = static_cast<std::size_t>(found - names.begin());
    return {};
  };
  if (const auto found = group(o.key, fields.key_group_); !found) return fail(found.error());
  if (const auto found = group(o.value, fields.value_group_); !found) return fail(found.error());
  for (const auto& [name, text] : o.where) {
    std::size_t place = 0;
    if (const auto found = group(name, place); !found) return fail(found.error());
    fields.where_groups_.push_back(place);
  }
  return fields;
}

LineReading LineFields::reading_of(std::string_view step, const std::string* value) const {
  const std::optional<std::int64_t> number = parse_step(step);
  if (!number) return {.kind = LineKind::bad_step};
  if (value == nullptr || trimmed(*value).empty())
    return {.kind = LineKind::no_value, .step = *number};
  return {
      .kind = LineKind::answer, .step = *number, .value = comparable(*value, options_.bare_hex)};
}

LineReading LineFields::read(std::string_view line) const {
  if (regex_) return read_pattern(line);
  // Most lines of a log are about something else: one search tells. An escape may hide the name.
  if (line.find(last_part(options_.key)) == std::string_view::npos &&
      line.find('\\') == std::string_view::npos)
    return {};
  return trimmed(line).starts_with('{') ? read_json(line) : read_text(line);
}

LineReading LineFields::read_json(std::string_view line) const {
  const Result<Json> object = parse_json(line);
  if (!object || !object->is_object()) return {.kind = LineKind::bad_json};
  for (const auto& [name, wanted] : options_.where)
    if (text_of(member_of(*object, name)) != wanted) return {};
  const auto step = text_of(member_of(*object, options_.key));
  if (!step) return {};
  const auto value = text_of(member_of(*object, options_.value));
  return reading_of(*step, value ? &*value : nullptr);
}

LineReading LineFields::read_text(std::string_view line) const {
  for (const auto& [name, wanted] : options_.where)
    if (text_field(line, last_part(name)) != wanted) return {};
  const auto step = text_field(line, last_part(options_.key));
  if (!step) return {};
  const auto value = text_field(line, last_part(options_.value));
  return reading_of(*step, value ? &*value : nullptr);
}

LineReading LineFields::read_pattern(std::string_view line) const {
  std::vector<std::string_view> groups(regex_->group_names().size());
  if (!regex_->match(line, groups)) return {};
  for (std::size_t i = 0; i < where_groups_.size(); ++i)
    if (groups[where_groups_[i]] != options_.where[i].second) return {};
  const std::string value(groups[value_group_]);
  return reading_of(groups[key_group_], &value);
}

}  // namespace assay::diverge
