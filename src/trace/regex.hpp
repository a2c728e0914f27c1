// SPDX-License-Identifier: Apache-2.0
// RE2 behind a wall: named groups, and the literal text that every match contains.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/pattern.hpp"

namespace assay::trace {

class Regex {
 public:
  static tl::expected<std::shared_ptr<const Regex>, PatternFault> compile(std::string_view text);
  ~Regex();

  const std::vector<std::string>& group_names() const { return names_; }  // in order of the text
  // The longest run of plain characters that every match contains; "" when there is none of two or
  // more (an alternative, a class in every place, (?i)).
  const std::string& literal() const { return literal_; }
  // The named groups of the first match; a group that took no part is empty.
  bool match(std::string_view line, std::span<std::string_view> groups) const;

 private:
  struct Engine;
  Regex();
  std::unique_ptr<Engine> engine_;
  std::vector<std::string> names_ = {};
  std::vector<int> numbers_ = {};  // of the named groups
  std::string literal_ = {};
};

// The literal of a regular expression, for tests; see Regex::literal.
std::string required_literal(std::string_view pattern);

}  // namespace assay::trace
