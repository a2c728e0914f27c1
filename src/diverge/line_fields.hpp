// SPDX-License-Identifier: Apache-2.0
// A step and an answer out of one line of a log: a JSON object, text with key=value or key: value
// (quoted or not, also JSON behind a prefix), or a regular expression with named groups.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "trace/regex.hpp"

namespace assay::diverge {

struct FieldOptions {
  std::string key = "slot";          // a member, or a JSON pointer ("/data/slot")
  std::string value = "state_root";  // likewise
  std::string pattern = {};          // RE2 with groups of these names; replaces the search
  std::vector<std::pair<std::string, std::string>> where = {};  // only lines with these values
  bool bare_hex = false;                                        // "AB12" is "0xab12"
};

enum class LineKind : std::uint8_t {
  other,     // no step in it, or --where keeps it out
  answer,    // step and value are set
  no_value,  // a step without an answer
  bad_step,  // the step is not an integer
  bad_json   // begins as an object and is none
};

struct LineReading {
  LineKind kind = LineKind::other;
  std::int64_t step = 0;
  std::string value = {};
};

class LineFields {
 public:
  // Errors: an empty name, a pattern that does not compile or lacks one of the groups.
  static Result<LineFields> make(FieldOptions options);

  LineReading read(std::string_view line) const;
  const FieldOptions& options() const { return options_; }

 private:
  explicit LineFields(FieldOptions options) : options_(std::move(options)) {}
  LineReading read_json(std::string_view line) const;
  LineReading read_text(std::string_view line) const;
  LineReading read_pattern(std::string_view line) const;
  LineReading reading_of(std::string_view step, const std::string* value) const;

  FieldOptions options_;
  std::string_view::size_type key_group_ = 0, value_group_ = 0;
  std::vector<std::size_t> where_groups_ = {};
  std::shared_ptr<const trace::Regex> regex_ = {};
};

// The names that a line offers as key or value, in its order: members of a JSON object ("slot",
// nested ones "/data/slot"), in text the words before = and :. Those of values that are no lists.
std::vector<std::string> names_in(std::string_view line);

// The value behind `name` in a line of text: name=8, name: 8, name = "a b", "name":"8". The name
// stands alone (a word's end on both sides). Nothing when it does not occur.
//   text_field("imported slot=8, root: 0xab", "root") -> "0xab"
std::optional<std::string> text_field(std::string_view line, std::string_view name);

// A step: decimal or 0x hexadecimal, a sign allowed, 64 bits. "1_000" and "1,000" are none.
std::optional<std::int64_t> parse_step(std::string_view text);

// The form in which answers are compared. Hexadecimal is lower case: 0x and digits, or 16 digits
// and more, or with `bare_hex` any digits, which get their 0x. Longer than 256 bytes: its digest.
std::string comparable(std::string_view value, bool bare_hex);

}  // namespace assay::diverge
