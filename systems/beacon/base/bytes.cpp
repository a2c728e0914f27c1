// SPDX-License-Identifier: Apache-2.0
#include "beacon/base/bytes.hpp"

#include <cmath>

namespace beacon {
namespace {

int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::string to_hex(View bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text = "0x";
  for (const std::uint8_t byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

Result<Root> root_from_hex(std::string_view text) {
  if (text.starts_with("0x")) text.remove_prefix(2);
  Root root{};
  if (text.size() != 2 * root.size())
    return fail("a root has 64 hexadecimal digits, and here are " + std::to_string(text.size()));
  for (std::size_t i = 0; i < root.size(); ++i) {
    const int high = digit_value(text[2 * i]), low = digit_value(text[2 * i + 1]);
    if (high < 0 || low < 0) return fail("not a hexadecimal digit in byte " + std::to_string(i));
    root[i] = static_cast<std::uint8_t>(high * 16 + low);
  }
  return root;
}

std::uint64_t integer_square_root(std::uint64_t value) {
  // The floating-point root is off by one at most; squares are compared by division, which cannot
  // overflow.
  auto root = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(value)));
  while (root > 0 && root > value / root) --root;
  while (root + 1 <= value / (root + 1)) ++root;
  return root;
}

}  // namespace beacon
