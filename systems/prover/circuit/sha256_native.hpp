// SPDX-License-Identifier: Apache-2.0
// SHA-256 on numbers: what the circuit of sha256.hpp must agree with, and where circuits take
// inputs that only a seed decides. Source: FIPS 180-4.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "prover/field/limbs.hpp"

namespace prover::circuit {

extern const std::array<std::uint32_t, 64> kSha256K;
extern const std::array<std::uint32_t, 8> kSha256Start;

using Digest = std::array<std::uint8_t, 32>;

Digest sha256(std::span<const std::uint8_t> message);

// SHA-256 of the label's bytes and the numbers, each as 8 bytes, most significant first.
Digest sha256(std::string_view label, std::span<const std::uint64_t> numbers);

// A full-size element of the field that the label and the numbers decide.
template <class F>
F element_of(std::string_view label, std::span<const std::uint64_t> numbers) {
  const Digest digest = sha256(label, numbers);
  typename F::Plain limbs{};
  for (std::size_t i = 0; i < digest.size(); ++i)
    limbs[i / 8] |= std::uint64_t{digest[i]} << (8 * (i % 8));
  limbs.back() &= ~std::uint64_t{0} >> 2;  // below 2^254, which is less than two moduli
  field::subtract_once(limbs, F::kModulus);
  return F::from_plain(limbs);
}

}  // namespace prover::circuit
