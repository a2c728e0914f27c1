// SPDX-License-Identifier: Apache-2.0
// Numbers and sizes as people write and read them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "prover/base/result.hpp"

namespace prover {

// A whole number in [low, high], decimal digits only.
Result<std::uint64_t> parse_count(std::string_view text, std::uint64_t low, std::uint64_t high);
// A finite number in [low, high]; 0.25, 1e3.
Result<double> parse_number(std::string_view text, double low, double high);
// A size: 4GiB, 512MiB, 64KiB, 1048576, 1.5GiB; powers of two only (GB is refused, with the
// reason).
Result<std::uint64_t> parse_bytes(std::string_view text);

// 3 significant digits with a binary prefix: 416 MiB, 1.5 GiB, 17 B.
std::string show_bytes(std::uint64_t bytes);
// Milliseconds with a fitting unit, 3 significant digits: 12.3 ms, 1.23 s, 45 us.
std::string show_ms(double milliseconds);
// The shortest text that reads back as the same number: 0.1, 60, 1e-07.
std::string show_number(double value);
// The text with control characters and bytes beyond ASCII as \xNN, so that no message moves a
// terminal.
std::string printable(std::string_view text);
// The candidate nearest to `text` by edit distance, or empty when none is near (<= 1/3 of its
// length).
std::string nearest(std::string_view text, std::span<const std::string> candidates);

}  // namespace prover
