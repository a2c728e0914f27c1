// SPDX-License-Identifier: Apache-2.0
// Montgomery multiplication a b / 2^(64 N) mod p of N limbs, portable: one row of the product, one
// row of the reduction, alternately, in N + 1 words. That N + 1 suffice needs the top bit of p
// clear. Ref: Koc, Acar, Kaliski, Analyzing and comparing Montgomery multiplication algorithms
// (CIOS); the saved word: Acar's note for moduli with a free bit.
#pragma once

#include "prover/field/limbs.hpp"

namespace prover::field {

// -1 / p mod 2^64, for odd p.
constexpr std::uint64_t negative_inverse(std::uint64_t p) {
  std::uint64_t inverse = 1;
  for (int i = 0; i < 6; ++i) inverse *= 2 - p * inverse;  // doubles the right bits each time
  return ~inverse + 1;
}

// 2^bits mod p.
template <std::size_t N>
constexpr Limbs<N> power_of_two(const Limbs<N>& p, std::size_t bits) {
  Limbs<N> value = from_word<N>(1);
  for (std::size_t i = 0; i < bits; ++i) {
    add_to(value, value);  // below 2 p, which fits
    subtract_once(value, p);
  }
  return value;
}

// How a field multiplies. The tag is part of a field's type, so that functions of two instruction
// sets never share a name.
struct PortableMul {
  // a, b < p; the result is < p.
  template <class P>
  static constexpr Limbs<P::kLimbs> mul(const Limbs<P::kLimbs>& a, const Limbs<P::kLimbs>& b) {
    constexpr std::size_t N = P::kLimbs;
    constexpr Limbs<N> p = P::kModulus;
    static_assert(p[N - 1] >> 63 == 0, "the modulus must leave its top bit free");
    constexpr std::uint64_t inverse = negative_inverse(p[0]);
    Limbs<N> t{};
    unrolled<N>([&](auto i) PROVER_INLINE {
      Wide product = static_cast<Wide>(a[0]) * b[i] + t[0];
      const std::uint64_t m = static_cast<std::uint64_t>(product) * inverse;
      Wide reduced = static_cast<Wide>(m) * p[0] + static_cast<std::uint64_t>(product);
      product >>= 64;
      reduced >>= 64;
      unrolled<N - 1>([&](auto below) PROVER_INLINE {
        const std::size_t j = below + 1;
        product += static_cast<Wide>(a[j]) * b[i] + t[j];
        reduced += static_cast<Wide>(m) * p[j] + static_cast<std::uint64_t>(product);
        t[j - 1] = static_cast<std::uint64_t>(reduced);
        product >>= 64;
        reduced >>= 64;
      });
      t[N - 1] = static_cast<std::uint64_t>(product + reduced);
    });
    subtract_once(t, p);
    return t;
  }
};

}  // namespace prover::field
