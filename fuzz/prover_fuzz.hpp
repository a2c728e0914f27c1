// SPDX-License-Identifier: Apache-2.0
// What every fuzz target of the prover's files does.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>

#include "prover/base/result.hpp"

namespace prover::fuzz {

inline std::span<const std::byte> bytes_of(const std::uint8_t* data, std::size_t size) {
  return std::as_bytes(std::span(data, size));
}

// Reads every byte, so that the sanitizer sees a span that is too long.
inline void touch(std::span<const std::byte> bytes) {
  volatile unsigned sum = 0;
  for (const std::byte byte : bytes) sum = sum + std::to_integer<unsigned>(byte);
}

// A message says what and where, and nothing in it moves a terminal.
inline void check_error(const Error& error) {
  PROVER_CHECK(!error.what.empty() && !error.where.empty(), "what and where");
  const std::string text = error.what + error.where + error.hint;
  PROVER_CHECK(std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7f; }),
               "a message that can be printed");
}

}  // namespace prover::fuzz
