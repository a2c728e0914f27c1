// SPDX-License-Identifier: Apache-2.0
// Byte strings of fixed length, as the specification names them, and numbers in them. SSZ is
// little-endian, and so is every machine that this runs on: bodies of lists are copied as they lie.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "beacon/base/result.hpp"

namespace beacon {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they lie");

template <std::size_t N>
using Bytes = std::array<std::uint8_t, N>;
using Root = Bytes<32>;
using Pubkey = Bytes<48>;
using Signature = Bytes<96>;
using Version = Bytes<4>;
using View = std::span<const std::uint8_t>;

// The little-endian number in the first bytes; the caller has checked that they are there.
template <class T>
T load(View bytes) {
  T value{};
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

template <class T>
void store(std::span<std::uint8_t> bytes, T value) {
  std::memcpy(bytes.data(), &value, sizeof(T));
}

std::string to_hex(View bytes);  // "0x0123..."

// Errors: not 2 * N hexadecimal digits, with or without "0x" in front.
Result<Root> root_from_hex(std::string_view text);

// The largest whole number whose square is at most `value`.
std::uint64_t integer_square_root(std::uint64_t value);

}  // namespace beacon
