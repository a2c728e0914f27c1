// SPDX-License-Identifier: Apache-2.0
#include "prover/daemon/document.hpp"

#include <fmt/format.h>

#include "prover/base/text.hpp"

namespace prover::daemon {
namespace {

// The line, printable, and a caret under the byte that is meant.
std::string show_excerpt(const document::Excerpt& shown) {
  return fmt::format("  {}\n  {}^", printable(shown.text),
                     std::string(printable(shown.text.substr(0, shown.offset)).size(), ' '));
}

}  // namespace

Error Document::error(Position at, const std::string& what, const std::string& remark,
                      const std::string& hint) const {
  return {fmt::format("{}\n{}{}{}", what, show_excerpt(document::excerpt(text_, at)),
                      remark.empty() ? "" : " ", remark),
          fmt::format("{}:{}:{}", file_, at.line, at.column), hint, ErrorKind::usage};
}

Result<Document> Document::parse(std::string_view text, const std::string& file) {
  Document parsed(text, file);
  auto root = document::parse(text);
  if (root) {
    parsed.root_ = std::move(*root);
    return parsed;
  }
  const document::Problem& problem = root.error();
  switch (problem.kind) {
    case document::Problem::Kind::too_long:
      return fail(ErrorKind::usage,
                  fmt::format("longer than {}", show_bytes(document::kLongestText)), file,
                  "is this the right file?");
    case document::Problem::Kind::too_deep:
      return fail(ErrorKind::usage, problem.what, fmt::format("{}:{}", file, problem.at.line),
                  "is this the right file?");
    case document::Problem::Kind::not_toml:
      break;
  }
  return fail(parsed.error(problem.at, printable(problem.what)));
}

}  // namespace prover::daemon
