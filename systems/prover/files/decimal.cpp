// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "prover/files/json.hpp"

namespace prover::files {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::size_t kMostDigits = 120;
// 10^19 is the largest power of ten in a limb.
constexpr std::size_t kChunkDigits = 19;
constexpr std::uint64_t kChunk = 10'000'000'000'000'000'000U;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// value = value x factor + term; false when it does not fit.
bool multiply_add(Integer& value, std::uint64_t factor, std::uint64_t term) {
  Wide carry = term;
  for (std::uint64_t& limb : value) {
    carry += Wide{limb} * factor;
    limb = static_cast<std::uint64_t>(carry);
    carry >>= 64;
  }
  return carry == 0;
}

// Divides in place; the remainder.
std::uint64_t divide(std::vector<std::uint64_t>& value, std::uint64_t divisor) {
  Wide rest = 0;
  for (std::size_t i = value.size(); i-- > 0;) {
    rest = (rest << 64) | value[i];
    value[i] = static_cast<std::uint64_t>(rest / divisor);
    rest %= divisor;
  }
  return static_cast<std::uint64_t>(rest);
}

}  // namespace

Result<Integer> parse_decimal(std::string_view text) {
  if (text.empty() || !std::all_of(text.begin(), text.end(), is_digit))
    return fail(ErrorKind::usage, "is no decimal number");
  if (text.size() > kMostDigits)
    return fail(ErrorKind::usage, fmt::format("has {} digits, more than the {} of any coordinate",
                                              text.size(), kMostDigits));
  Integer value{};
  while (!text.empty()) {
    const std::string_view part = text.substr(0, kChunkDigits);
    text.remove_prefix(part.size());
    std::uint64_t term = 0;
    std::uint64_t factor = 1;
    for (const char c : part) {
      term = term * 10 + static_cast<std::uint64_t>(c - '0');
      factor *= 10;
    }
    if (!multiply_add(value, factor, term))
      return fail(ErrorKind::usage, "does not fit into 384 bits");
  }
  return value;
}

std::string to_decimal(std::span<const std::uint64_t> limbs) {
  std::vector<std::uint64_t> value(limbs.begin(), limbs.end());
  std::vector<std::uint64_t> chunks;
  const auto is_zero = [](std::uint64_t limb) { return limb == 0; };
  while (!std::all_of(value.begin(), value.end(), is_zero)) chunks.push_back(divide(value, kChunk));
  if (chunks.empty()) return "0";
  std::string text = fmt::format("{}", chunks.back());
  for (std::size_t i = chunks.size() - 1; i-- > 0;) text += fmt::format("{:019}", chunks[i]);
  return text;
}

}  // namespace prover::files
