// SPDX-License-Identifier: Apache-2.0
// Integers of a fixed number of 64-bit limbs, least significant first; constexpr throughout.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>

#include "prover/base/sanitized.hpp"
#include "prover/field/intrinsics.hpp"

namespace prover::field {

template <std::size_t N>
using Limbs = std::array<std::uint64_t, N>;

__extension__ using Wide = unsigned __int128;

// f(0), f(1), ... f(N - 1), each index a constant: no loop is left, and numbers stay in registers
// (GCC 12 at -O2 keeps loops of four, and arrays that loops walk through in memory).
// Sanitized, what is unrolled and inlined for speed takes minutes to compile.
#if defined(PROVER_SANITIZED)
#define PROVER_INLINE
#define PROVER_FLATTEN
template <std::size_t N, class F>
constexpr void unrolled(const F& f) {
  for (std::size_t i = 0; i < N; ++i) f(i);
}
#else
#define PROVER_INLINE __attribute__((always_inline))
#define PROVER_FLATTEN __attribute__((flatten))
template <std::size_t N, class F>
PROVER_INLINE constexpr void unrolled(const F& f) {
  [&]<std::size_t... I>(std::index_sequence<I...>) PROVER_INLINE {
    (f(std::integral_constant<std::size_t, I>{}), ...);
  }
  (std::make_index_sequence<N>{});
}
#endif

// a += b; the carry out.
template <std::size_t N>
constexpr std::uint64_t add_to(Limbs<N>& a, const Limbs<N>& b) {
#if defined(__x86_64__)
  if (!std::is_constant_evaluated()) {
    unsigned char c = 0;
    unrolled<N>([&](auto i) PROVER_INLINE {
      unsigned long long w;
      c = _addcarry_u64(c, a[i], b[i], &w);
      a[i] = w;
    });
    return c;
  }
#endif
  Wide carry = 0;
  unrolled<N>([&](auto i) PROVER_INLINE {
    carry += static_cast<Wide>(a[i]) + b[i];
    a[i] = static_cast<std::uint64_t>(carry);
    carry >>= 64;
  });
  return static_cast<std::uint64_t>(carry);
}

// a -= b; the borrow out.
template <std::size_t N>
constexpr std::uint64_t sub_from(Limbs<N>& a, const Limbs<N>& b) {
#if defined(__x86_64__)
  if (!std::is_constant_evaluated()) {
    unsigned char c = 0;
    unrolled<N>([&](auto i) PROVER_INLINE {
      unsigned long long w;
      c = _subborrow_u64(c, a[i], b[i], &w);
      a[i] = w;
    });
    return c;
  }
#endif
  std::uint64_t borrow = 0;
  unrolled<N>([&](auto i) PROVER_INLINE {
    const Wide difference = static_cast<Wide>(a[i]) - b[i] - borrow;
    a[i] = static_cast<std::uint64_t>(difference);
    borrow = static_cast<std::uint64_t>(difference >> 64) & 1;
  });
  return borrow;
}

template <std::size_t N>
constexpr bool less(const Limbs<N>& a, const Limbs<N>& b) {
  for (std::size_t i = N; i-- > 0;)
    if (a[i] != b[i]) return a[i] < b[i];
  return false;
}

template <std::size_t N>
constexpr bool is_zero(const Limbs<N>& a) {
  std::uint64_t any = 0;
  for (const std::uint64_t limb : a) any |= limb;
  return any == 0;
}

// a -= b when a >= b, without a branch.
template <std::size_t N>
constexpr void subtract_once(Limbs<N>& a, const Limbs<N>& b) {
  Limbs<N> reduced = a;
  const std::uint64_t keep = ~(sub_from(reduced, b) - 1);  // all ones when a < b
  unrolled<N>([&](auto i) PROVER_INLINE { a[i] = (a[i] & keep) | (reduced[i] & ~keep); });
}

template <std::size_t N>
constexpr Limbs<N> shift_right(const Limbs<N>& a, unsigned bits) {
  Limbs<N> shifted{};
  const std::size_t words = bits / 64;
  const unsigned rest = bits % 64;
  for (std::size_t i = 0; i + words < N; ++i) {
    shifted[i] = a[i + words] >> rest;
    if (rest != 0 && i + words + 1 < N) shifted[i] |= a[i + words + 1] << (64 - rest);
  }
  return shifted;
}

template <std::size_t N>
constexpr bool bit(const Limbs<N>& a, std::size_t i) {
  return ((a[i / 64] >> (i % 64)) & 1) != 0;
}

template <std::size_t N>
constexpr Limbs<N> from_word(std::uint64_t word) {
  Limbs<N> limbs{};
  limbs[0] = word;
  return limbs;
}

// From and to N * 8 bytes, little-endian, at any alignment.
template <std::size_t N>
Limbs<N> load_limbs(const std::byte* bytes) {
  Limbs<N> limbs;
  std::memcpy(limbs.data(), bytes, sizeof limbs);
  return limbs;
}
template <std::size_t N>
void store_limbs(std::byte* bytes, const Limbs<N>& limbs) {
  std::memcpy(bytes, limbs.data(), sizeof limbs);
}

}  // namespace prover::field
