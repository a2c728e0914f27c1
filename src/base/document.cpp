// SPDX-License-Identifier: Apache-2.0
#include "base/document.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace assay {

Error Document::error(Position at, const std::string& what, const std::string& remark,
                      const std::string& hint) const {
  const document::Excerpt shown = document::excerpt(text_, at);
  return {fmt::format("{}\n{}{}{}", what, point_at(shown.text, shown.offset),
                      remark.empty() ? "" : " ", remark),
          fmt::format("{}:{}:{}", file_, at.line, at.column), hint};
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
      return fail(fmt::format("longer than {}", format_bytes(document::kLongestText)), file,
                  "is this the right file?");
    case document::Problem::Kind::too_deep:
      return fail(problem.what, fmt::format("{}:{}", file, problem.at.line),
                  "break a long command up: a \"\"\"string\"\"\" may go on after a \\ at the end "
                  "of a line");
    case document::Problem::Kind::not_toml:
      break;
  }
  return fail(parsed.error(problem.at, printable(problem.what)));
}

}  // namespace assay
