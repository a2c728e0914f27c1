// SPDX-License-Identifier: Apache-2.0
// A TOML document as a small tree that remembers where everything stood. Parsing is toml++'s
// (document.cpp is the only file that includes it); no exception leaves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "prover/base/result.hpp"

namespace prover::daemon {

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

// The text and its tree; makes the errors that point into it.
class Document {
 public:
  // Errors: not TOML (with the place and what stands there), longer than 1 MiB, a line that would
  // nest tables without end.
  static Result<Document> parse(std::string_view text, const std::string& file);

  const Node& root() const { return root_; }
  const std::string& file() const { return file_; }

  // "file:line:column: what", the line, a caret under the place and `remark` behind it.
  Error error(Position at, const std::string& what, const std::string& remark = {},
              const std::string& hint = {}) const;

 private:
  Document(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {}

  std::string text_, file_;
  Node root_;
};

}  // namespace prover::daemon
