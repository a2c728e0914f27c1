// SPDX-License-Identifier: Apache-2.0
// A TOML document as a small tree that remembers where everything stood, for the laboratory and the
// systems alike: each has its own errors, so what is wrong comes back as a plain Problem. Parsing
// is toml++'s (document.cpp is the only file that includes it); no exception leaves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <variant>
#include <vector>

namespace document {

inline constexpr std::size_t kLongestText = std::size_t{1} << 20;  // bytes

// Counted from 1; columns are code points, as editors count.
struct Position {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
};

// Dates and times: documents have no use for them.
struct OtherValue {};

struct Node {
  struct Member;
  using Array = std::vector<Node>;
  using Table = std::vector<Member>;  // in the order of the text

  Position at;
  std::variant<std::string, std::int64_t, double, bool, Array, Table, OtherValue> value;

  const std::string* to_string() const { return std::get_if<std::string>(&value); }
  const bool* to_bool() const { return std::get_if<bool>(&value); }
  const Array* to_array() const { return std::get_if<Array>(&value); }
  const Table* to_table() const { return std::get_if<Table>(&value); }
  // "a string", "a number", "true or false", "a list", "a table", "a date".
  std::string_view kind() const;
};

struct Node::Member {
  std::string key;
  Position at;  // of the key
  Node value;
};

struct Problem {
  enum class Kind {
    too_long,  // more than kLongestText; has no place
    too_deep,  // a line that would nest tables without end; has a line
    not_toml   // has a place
  };
  Kind kind = Kind::not_toml;
  std::string what = {};  // a clause; bytes of the text as they were
  Position at = {};
};

// Errors: as Problem::Kind says.
tl::expected<Node, Problem> parse(std::string_view text);

// The line at `at`, or the part of a long one around it, and the byte of `text` that is meant; its
// end when `at` lies behind it.
struct Excerpt {
  std::string_view text;
  std::size_t offset = 0;
};
Excerpt excerpt(std::string_view text, Position at);

}  // namespace document
