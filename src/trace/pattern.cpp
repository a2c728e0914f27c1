// SPDX-License-Identifier: Apache-2.0
#include "trace/pattern.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/text.hpp"
#include "trace/regex.hpp"

namespace assay::trace {
namespace {

struct TypeWord {
  std::string_view word;
  FieldType type;
};
constexpr std::array<TypeWord, 11> kTypes = {{{"word", FieldType::word},
                                              {"int", FieldType::integer},
                                              {"ms", FieldType::ms},
                                              {"us", FieldType::us},
                                              {"ns", FieldType::ns},
                                              {"s", FieldType::s},
                                              {"duration", FieldType::duration},
                                              {"float", FieldType::floating},
                                              {"hex", FieldType::hex},
                                              {"iso", FieldType::iso},
                                              {"any", FieldType::any}}};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_name_char(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
// Characters that end a word, and the last field of a pattern.
constexpr std::array<bool, 256> kEndsWord = [] {
  std::array<bool, 256> ends{};
  for (const char c : {' ', ',', '\t', ';', '"', ')', ']', '}'})
    ends[static_cast<unsigned char>(c)] = true;
  return ends;
}();
bool ends_word(char c) { return kEndsWord[static_cast<unsigned char>(c)]; }

template <class Predicate>
std::size_t run_of(std::string_view text, std::size_t from, Predicate belongs) {
  while (from < text.size() && belongs(text[from])) ++from;
  return from;
}

std::optional<std::size_t> parse_float(std::string_view text) {
  std::size_t at = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
  const std::size_t whole = run_of(text, at, is_digit);
  if (whole == at) return std::nullopt;
  at = whole;
  if (at + 1 < text.size() && text[at] == '.' && is_digit(text[at + 1]))
    at = run_of(text, at + 1, is_digit);
  if (at + 1 < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    const std::size_t sign = text[at + 1] == '-' || text[at + 1] == '+' ? 1 : 0;
    const std::size_t behind = run_of(text, at + 1 + sign, is_digit);
    if (behind > at + 1 + sign) at = behind;
  }
  return at;
}

std::optional<std::size_t> take(const std::optional<Stamp>& stamp, FieldValue& value) {
  if (!stamp) return std::nullopt;
  value.stamp = *stamp;
  return stamp->length;
}

// Where `literal` begins in `line` at or behind `from`.
std::size_t find_literal(std::string_view line, std::string_view literal, std::size_t from) {
  const char first = literal[0];
  for (std::size_t at = from; at + literal.size() <= line.size(); ++at) {
    if (line[at] == first && std::memcmp(line.data() + at, literal.data(), literal.size()) == 0)
      return at;
  }
  return std::string_view::npos;
}

bool has_at(std::string_view line, std::string_view literal, std::size_t at) {
  return line.size() - at >= literal.size() && line[at] == literal[0] &&
         std::memcmp(line.data() + at, literal.data(), literal.size()) == 0;
}

}  // namespace

std::optional<FieldType> field_type(std::string_view word) {
  for (const TypeWord& known : kTypes)
    if (known.word == word) return known.type;
  return std::nullopt;
}

std::vector<std::string> field_type_words() {
  std::vector<std::string> words;
  for (const TypeWord& known : kTypes) words.emplace_back(known.word);
  return words;
}

std::optional<std::size_t> parse_field(FieldType type, std::string_view text, FieldValue& value) {
  std::size_t end = 0;
  switch (type) {
    case FieldType::ms:
      return take(parse_decimal(text, 1'000'000), value);
    case FieldType::us:
      return take(parse_decimal(text, 1'000), value);
    case FieldType::ns:
      return take(parse_decimal(text, 1), value);
    case FieldType::s:
      return take(parse_decimal(text, 1'000'000'000), value);
    case FieldType::duration:
      return take(parse_go_duration(text), value);
    case FieldType::iso:
      return take(parse_iso(text), value);
    case FieldType::integer:
      end = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
      if (run_of(text, end, is_digit) == end) return std::nullopt;
      return run_of(text, end, is_digit);
    case FieldType::floating:
      return parse_float(text);
    case FieldType::hex:
      end = text.starts_with("0x") ? 2 : 0;
      if (run_of(text, end, is_hex) == end) return std::nullopt;
      return run_of(text, end, is_hex);
    case FieldType::any:
      return text.size();
    case FieldType::word:
    case FieldType::text:
      break;
  }
  end = run_of(text, 0, [](char c) { return !ends_word(c); });
  if (end == 0) return std::nullopt;
  return end;
}

tl::expected<Pattern, PatternFault> Pattern::compile(std::string_view text) {
  const auto fault = [](std::string what, std::size_t offset, std::string remark = {}) {
    return tl::unexpected<PatternFault>({std::move(what), std::move(remark), offset});
  };
  Pattern made;
  made.text_ = text;
  std::string literal;
  std::size_t i = text.starts_with('^') ? 1 : 0;
  made.at_front_ = i == 1;
  while (i < text.size()) {
    const char c = text[i];
    if ((c == '{' || c == '}') && i + 1 < text.size() && text[i + 1] == c) {
      literal += c;
      i += 2;
      continue;
    }
    if (c == '}')
      return fault("a brace that closes nothing", i, "write }} for a brace in the text");
    if (c == '\n') return fault("a line break: a pattern matches within one line", i);
    if (c == '$' && i + 1 == text.size()) {
      made.at_end_ = true;
      break;
    }
    if (c != '{') {
      literal += c;
      ++i;
      continue;
    }
    const std::size_t close = text.find('}', i);
    if (close == std::string_view::npos)
      return fault("a field without its closing brace", i, "write {{ for a brace in the text");
    const std::string_view inside = text.substr(i + 1, close - i - 1);
    const std::size_t colon = std::min(inside.find(':'), inside.size());
    Field field;
    field.name = inside.substr(0, colon);
    if (field.name.empty() || !std::ranges::all_of(field.name, is_name_char))
      return fault("a field needs a name of letters, digits and _", i + 1);
    if (colon < inside.size()) {
      const std::string_view word = inside.substr(colon + 1);
      const auto type = field_type(word);
      if (!type) {
        const auto words = field_type_words();
        const auto near = nearest(word, words);
        return fault(fmt::format("unknown type '{}' of field '{}'", printable(word), field.name),
                     i + 1 + colon + 1,
                     near ? fmt::format("did you mean '{}'?", *near)
                          : fmt::format("types are {}", fmt::join(words, ", ")));
      }
      field.type = *type;
    }
    if (field.name != "_") {
      for (const Field& other : made.fields_)
        if (other.name == field.name)
          return fault(fmt::format("field '{}' stands twice", field.name), i + 1);
    }
    if (literal.empty() && !made.parts_.empty())
      return fault("two fields without text between them", i, "where would the first one end?");
    if (made.fields_.size() == kMostFields)
      return fault(fmt::format("more than {} fields", kMostFields), i);
    made.parts_.push_back({std::move(literal), true});
    literal.clear();
    made.fields_.push_back(std::move(field));
    i = close + 1;
  }
  if (!literal.empty()) made.parts_.push_back({std::move(literal), false});
  const auto literals = made.literals();
  if (std::ranges::none_of(literals, [](const std::string& l) { return l.size() >= 2; }))
    return fault("no text to search for", 0,
                 "a pattern needs two literal characters in a row, so that other lines are passed "
                 "over");
  return made;
}

tl::expected<Pattern, PatternFault> Pattern::compile_regex(std::string_view text) {
  auto regex = Regex::compile(text);
  if (!regex) return tl::unexpected<PatternFault>(regex.error());
  Pattern made;
  made.text_ = text;
  for (const std::string& name : (*regex)->group_names()) {
    Field field{name, FieldType::text};
    const std::size_t line = name.find('_');
    if (line == 1 && (name[0] == 't' || name[0] == 'd')) {
      if (const auto type = field_type(name.substr(2)); type) {
        field.name = name.substr(0, 1);
        field.type = *type;
      }
    }
    for (const Field& other : made.fields_)
      if (other.name == field.name)
        return tl::unexpected<PatternFault>(
            {fmt::format("group '{}' stands twice", field.name), {}, 0});
    made.fields_.push_back(std::move(field));
  }
  if (made.fields_.size() > kMostFields)
    return tl::unexpected<PatternFault>({fmt::format("more than {} groups", kMostFields), {}, 0});
  made.regex_ = std::move(*regex);
  return made;
}

std::vector<std::string> Pattern::literals() const {
  std::vector<std::string> result;
  if (regex_ && !regex_->literal().empty()) result.push_back(regex_->literal());
  for (const Part& part : parts_)
    if (!part.literal.empty()) result.push_back(part.literal);
  return result;
}

tl::expected<void, PatternFault> Pattern::add_pair(std::string_view text) {
  auto pair = compile(text);
  if (!pair) return tl::unexpected<PatternFault>(pair.error());
  const auto fault = [](std::string what, std::string remark = {}) {
    return tl::unexpected<PatternFault>({std::move(what), std::move(remark), 0});
  };
  if (pair->parts_.size() != 1 || pair->fields_.size() != 1 || pair->at_front_ || pair->at_end_)
    return fault("a pair is text and then one field", "\"worker={worker}\"");
  for (const Field& field : fields_)
    if (field.name == pair->fields_[0].name)
      return fault(fmt::format("field '{}' stands twice", field.name));
  if (fields_.size() == kMostFields) return fault(fmt::format("more than {} fields", kMostFields));
  fields_.push_back(std::move(pair->fields_[0]));
  pairs_.push_back(std::move(pair->parts_[0].literal));
  return {};
}

// Matches the fields and what follows them; `at` is behind the first literal.
Match Pattern::match_from(std::string_view line, std::size_t& at, std::span<FieldValue> values,
                          std::size_t& bad) const {
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    if (!parts_[part].has_field) break;
    const FieldType type = fields_[part].type;
    FieldValue& value = values[part];
    const std::string_view rest = line.substr(at);
    if (part + 1 == parts_.size()) {
      const auto length = parse_field(type, rest, value);
      if (!length) {
        bad = part;
        return Match::bad_field;
      }
      if (at_end_ && *length != rest.size()) return Match::no;
      value.text = rest.substr(0, *length);
      at += *length;
      return Match::yes;
    }
    const std::string& next = parts_[part + 1].literal;
    std::size_t end = std::string_view::npos;
    if (type == FieldType::text || type == FieldType::any) {
      end = find_literal(line, next, at);
      if (end == std::string_view::npos) return Match::no;
      if (type == FieldType::text && end == at) {
        bad = part;
        return Match::bad_field;
      }
    } else {
      const auto length = parse_field(type, rest, value);
      if (length && has_at(line, next, at + *length)) {
        end = at + *length;
      } else {
        if (find_literal(line, next, at) == std::string_view::npos) return Match::no;
        bad = part;
        return Match::bad_field;
      }
    }
    value.text = line.substr(at, end - at);
    at = end + next.size();
  }
  return at_end_ && at != line.size() ? Match::no : Match::yes;
}

Match Pattern::match_parts(std::string_view line, std::size_t& behind, std::span<FieldValue> values,
                           std::size_t& bad) const {
  const std::string& first = parts_[0].literal;
  if (first.empty()) {
    // A field at the front: it ends where the literal behind it begins, so its start is sought
    // backwards; typed ones at the front of the line first, since a timestamp may hold blanks.
    if (at_front_ || fields_[0].type != FieldType::text) {
      behind = 0;
      const Match from_front = match_from(line, behind, values, bad);
      if (from_front == Match::yes || at_front_) return from_front;
    }
    const std::size_t stop = find_literal(line, parts_[1].literal, 0);
    if (stop == std::string_view::npos) return Match::no;
    behind = stop;
    while (behind > 0 && !ends_word(line[behind - 1])) --behind;
    return match_from(line, behind, values, bad);
  }
  Match best = Match::no;
  for (std::size_t at = find_literal(line, first, 0); at != std::string_view::npos;
       at = find_literal(line, first, at + 1)) {
    if (at_front_ && at != 0) break;
    behind = at + first.size();
    const Match result = match_from(line, behind, values, bad);
    if (result == Match::yes) return result;
    if (result == Match::bad_field) best = result;
  }
  return best;
}

// `from`: behind the parts, where the pairs usually follow in order.
Match Pattern::match_pairs(std::string_view line, std::size_t from, std::span<FieldValue> values,
                           std::size_t& bad) const {
  const std::size_t first = fields_.size() - pairs_.size();
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    const std::string& literal = pairs_[i];
    FieldValue& value = values[first + i];
    value = {};
    std::size_t at = from + 1;
    if (at > line.size() || !has_at(line, literal, at)) {
      const bool word = is_name_char(literal[0]);
      at = find_literal(line, literal, 0);
      while (at != std::string_view::npos && word && at > 0 && is_name_char(line[at - 1]))
        at = find_literal(line, literal, at + 1);
      if (at == std::string_view::npos) continue;
    }
    const std::string_view rest = line.substr(at + literal.size());
    const auto length = parse_field(fields_[first + i].type, rest, value);
    if (!length) {
      bad = first + i;
      return Match::bad_field;
    }
    value.text = rest.substr(0, *length);
    from = at + literal.size() + *length;
  }
  return Match::yes;
}

Match Pattern::match(std::string_view line, std::span<FieldValue> values, std::size_t& bad) const {
  std::size_t behind = 0;
  const Match result =
      regex_ ? match_regex(line, values, bad) : match_parts(line, behind, values, bad);
  if (result != Match::yes || pairs_.empty()) return result;
  return match_pairs(line, behind, values, bad);
}

Match Pattern::match_regex(std::string_view line, std::span<FieldValue> values,
                           std::size_t& bad) const {
  std::array<std::string_view, kMostFields> groups;
  const std::size_t count = fields_.size() - pairs_.size();
  if (!regex_->match(line, std::span(groups).first(count))) return Match::no;
  for (std::size_t i = 0; i < count; ++i) {
    values[i].text = groups[i];
    if (fields_[i].type == FieldType::text) continue;
    const auto length = parse_field(fields_[i].type, groups[i], values[i]);
    if (length && *length == groups[i].size()) continue;
    bad = i;
    return Match::bad_field;
  }
  return Match::yes;
}

}  // namespace assay::trace
