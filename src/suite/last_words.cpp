// SPDX-License-Identifier: Apache-2.0
#include "suite/last_words.hpp"

#include <vector>

#include "base/text.hpp"
#include "suite/ids.hpp"

namespace assay::suite {
namespace {

constexpr std::size_t kShownLines = 4, kShownLine = 160;

std::string end_of(const std::string& text) {
  std::vector<std::string> kept;
  for (const std::string& line : lines_of(text))
    if (line.find_first_not_of(" \t\r") != std::string::npos) kept.push_back(line);
  // Behind a long text about usage the reason stands at its top.
  if (kept.size() > kShownLines)
    kept.erase(kept.begin() + 1, kept.end() - static_cast<std::ptrdiff_t>(kShownLines - 1));
  std::string words;
  for (const std::string& line : kept) {
    const std::size_t begin = line.find_first_not_of(" \t\r");
    const std::size_t end = line.find_last_not_of(" \t\r");
    words += (words.empty() ? "" : " | ") +
             shorten(printable(line.substr(begin, end - begin + 1)), kShownLine);
  }
  return words;
}

}  // namespace

std::string last_words(const std::string& err, const std::string& out) {
  const std::string words = end_of(err);
  return words.empty() ? end_of(out) : words;
}

}  // namespace assay::suite
