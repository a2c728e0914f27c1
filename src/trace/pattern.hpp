// SPDX-License-Identifier: Apache-2.0
// Patterns of a rules file: literal text with typed fields, "GPU_END,{job},gpu_ms={d:ms}". Compiled
// to a list of literals and hand parsers; a regular expression (RE2, linear time) where that is not
// enough.
//
// A pattern may stand anywhere in a line and more may follow; '^' at its front and '$' at its end
// tie it to the line's ends; {{ and }} are braces. A field ends where the next literal begins; an
// untyped field that is the last one ends at a blank, a comma, a closing bracket or the line's end.
//
// Pairs are small patterns of one literal and one field, "worker={worker}", that may stand in any
// order and anywhere in the line; where one is missing its field is absent.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "trace/timestamps.hpp"

namespace assay::trace {

enum class FieldType : std::uint8_t {
  text,     // {name}
  word,     // no blank, comma or quote
  integer,  // {name:int}
  ms,       // numbers in that unit, fractions allowed
  us,
  ns,
  s,
  duration,  // 12ms, 1h30m6.34s
  floating,  // {name:float}
  hex,
  iso,
  any  // anything up to the next literal, nothing too
};
std::optional<FieldType> field_type(std::string_view word);
std::vector<std::string> field_type_words();

struct Field {
  std::string name = {};
  FieldType type = FieldType::text;
};

// What a field held in one line. `text` points into the line; data() is null when it is absent.
struct FieldValue {
  std::string_view text = {};
  Stamp stamp = {};  // of ms, us, ns, s, duration, iso
};

enum class Match : std::uint8_t {
  no,
  yes,
  bad_field  // the literals are there, a field between them does not parse
};

// What is wrong with a pattern, at a byte of its text.
struct PatternFault {
  std::string what = {}, remark = {};
  std::size_t offset = 0;
};

class Regex;  // RE2 behind a wall

class Pattern {
 public:
  static constexpr std::size_t kMostFields = 24;

  // Errors: an unknown type (with the nearest), a name twice, braces that do not pair, two fields
  // without text between them, no text to search for, a regular expression that does not compile.
  static tl::expected<Pattern, PatternFault> compile(std::string_view text);
  // Named groups are the fields; those called t and d may carry a unit: (?P<t_ms>..), (?P<d_s>..).
  static tl::expected<Pattern, PatternFault> compile_regex(std::string_view text);

  // Errors: as of compile; not a literal and then a field; a name that the pattern has already.
  tl::expected<void, PatternFault> add_pair(std::string_view text);

  const std::string& text() const { return text_; }
  bool is_regex() const { return regex_ != nullptr; }
  std::span<const Field> fields() const { return fields_; }
  // The literals that every matching line contains; of a regular expression at most one.
  std::vector<std::string> literals() const;

  // Fills values[i] for fields()[i]; `values` has kMostFields places. On bad_field, `bad` is the
  // index of the field.
  Match match(std::string_view line, std::span<FieldValue> values, std::size_t& bad) const;

 private:
  struct Part {
    std::string literal = {};  // before the field
    bool has_field = false;
  };

  // `at` is moved behind the match.
  Match match_from(std::string_view line, std::size_t& at, std::span<FieldValue> values,
                   std::size_t& bad) const;
  Match match_parts(std::string_view line, std::size_t& behind, std::span<FieldValue> values,
                    std::size_t& bad) const;
  Match match_pairs(std::string_view line, std::size_t from, std::span<FieldValue> values,
                    std::size_t& bad) const;
  Match match_regex(std::string_view line, std::span<FieldValue> values, std::size_t& bad) const;

  std::string text_ = {};
  std::vector<Part> parts_ = {};         // the last may be a literal without a field
  std::vector<Field> fields_ = {};       // of the parts, then of the pairs
  std::vector<std::string> pairs_ = {};  // their literals
  bool at_front_ = false, at_end_ = false;
  std::shared_ptr<const Regex> regex_ = {};
};

// The value of a field of that type at the front of `text`, which ends at `text`'s end at the
// latest; the length taken, or nothing.
std::optional<std::size_t> parse_field(FieldType type, std::string_view text, FieldValue& value);

}  // namespace assay::trace
