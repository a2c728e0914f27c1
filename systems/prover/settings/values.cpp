// SPDX-License-Identifier: Apache-2.0
#include "prover/settings/values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "prover/base/text.hpp"

namespace prover::settings {

Result<void> read_count(Text text, std::uint64_t low, std::uint64_t high, std::uint32_t& out) {
  auto value = parse_count(text, low, high);
  if (!value) return fail(value.error());
  out = static_cast<std::uint32_t>(*value);
  return {};
}

Result<void> read_number(Text text, double low, double high, double& out) {
  auto value = parse_number(text, low, high);
  if (!value) return fail(value.error());
  out = *value;
  return {};
}

Result<void> read_bytes_or_none(Text text, std::optional<std::uint64_t>& out) {
  out.reset();
  if (text == "none") return {};
  auto value = parse_bytes(text);
  if (!value) return fail(value.error());
  out = *value;
  return {};
}

Result<void> read_count_or(Text text, const char* word, std::uint64_t low, std::uint64_t high,
                           std::optional<std::uint32_t>& out) {
  out.reset();
  if (text == word) return {};
  std::uint32_t value = 0;
  auto ok = read_count(text, low, high, value);
  if (!ok) ok.error().hint += fmt::format(", or {}", word);
  if (ok) out = value;
  return ok;
}

std::string show_count(std::uint64_t value) { return fmt::format("{}", value); }

Result<std::size_t> read_choice(Text text, std::span<const char* const> words) {
  for (std::size_t i = 0; i < words.size(); ++i)
    if (text == words[i]) return i;
  const std::vector<std::string> names(words.begin(), words.end());
  const std::string near = nearest(text, names);
  return fail(ErrorKind::usage,
              words.size() == 2
                  ? fmt::format("'{}' is neither {} nor {}", printable(text), words[0], words[1])
                  : fmt::format("'{}' is none of {}", printable(text), fmt::join(words, ", ")),
              {}, near.empty() ? "" : fmt::format("did you mean '{}'?", near));
}

}  // namespace prover::settings
