// SPDX-License-Identifier: Apache-2.0
// A TOML document (libs/document) with the prover's errors.
#pragma once

#include <document/document.hpp>
#include <string>
#include <string_view>

#include "prover/base/result.hpp"

namespace prover::daemon {

using document::Node;
using document::Position;

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
