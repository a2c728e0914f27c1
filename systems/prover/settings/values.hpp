// SPDX-License-Identifier: Apache-2.0
// Values of options as text, read and shown. Errors say what is wrong and what would do, and leave
// `where` to the caller, who knows the option's name.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "prover/base/result.hpp"

namespace prover::settings {

using Text = const std::string&;

Result<void> read_count(Text text, std::uint64_t low, std::uint64_t high, std::uint32_t& out);
Result<void> read_number(Text text, double low, double high, double& out);
// "512MiB", "4GiB", 1000; none: no bound.
Result<void> read_bytes_or_none(Text text, std::optional<std::uint64_t>& out);
// A count, or `word` for nothing.
Result<void> read_count_or(Text text, const char* word, std::uint64_t low, std::uint64_t high,
                           std::optional<std::uint32_t>& out);
std::string show_count(std::uint64_t value);

// Which of `words` (at most 8) the text is; the error names them all, and the nearest.
Result<std::size_t> read_choice(Text text, std::span<const char* const> words);

template <class Enum>
Result<void> read_word(Text text, std::initializer_list<std::pair<const char*, Enum>> choices,
                       Enum& out) {
  const char* words[8] = {};
  std::size_t count = 0;
  for (const auto& choice : choices) words[count++] = choice.first;
  auto chosen = read_choice(text, std::span(words).first(count));
  if (!chosen) return fail(chosen.error());
  out = (choices.begin() + *chosen)->second;
  return {};
}

inline Result<void> read_switch(Text text, bool& out) {
  return read_word<bool>(text, {{"on", true}, {"off", false}}, out);
}

inline std::string show_switch(bool on) { return on ? "on" : "off"; }

}  // namespace prover::settings
