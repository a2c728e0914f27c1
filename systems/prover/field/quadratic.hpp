// SPDX-License-Identifier: Apache-2.0
// The quadratic extension F[u] / (u^2 + 1): the coordinates of G2 on both curves (p = 3 mod 4, so
// -1 is no square).
#pragma once

#include "prover/field/field.hpp"

namespace prover::field {

// c0 + c1 u; in memory c0, then c1.
template <class F>
struct Quadratic {
  using Base = F;
  static constexpr std::size_t kBytes = 2 * F::kBytes;

  F c0, c1;

  static constexpr Quadratic zero() { return {}; }
  static constexpr Quadratic one() { return {F::one(), F::zero()}; }
  static constexpr Quadratic from_word(std::uint64_t word) {
    return {F::from_word(word), F::zero()};
  }
  static Quadratic load(const std::byte* bytes) {
    return {F::load(bytes), F::load(bytes + F::kBytes)};
  }
  void store(std::byte* bytes) const {
    c0.store(bytes);
    c1.store(bytes + F::kBytes);
  }

  constexpr bool is_zero() const { return c0.is_zero() && c1.is_zero(); }
  constexpr bool is_reduced() const { return c0.is_reduced() && c1.is_reduced(); }
  constexpr bool operator==(const Quadratic&) const = default;

  constexpr Quadratic operator+(const Quadratic& b) const { return {c0 + b.c0, c1 + b.c1}; }
  constexpr Quadratic operator-(const Quadratic& b) const { return {c0 - b.c0, c1 - b.c1}; }
  constexpr Quadratic operator-() const { return {-c0, -c1}; }
  // Three multiplications: (a0 + a1)(b0 + b1) - a0 b0 - a1 b1 is the middle (Karatsuba).
  constexpr Quadratic operator*(const Quadratic& b) const {
    const F low = c0 * b.c0, high = c1 * b.c1;
    return {low - high, (c0 + c1) * (b.c0 + b.c1) - low - high};
  }
  constexpr Quadratic operator*(const F& b) const { return {c0 * b, c1 * b}; }
  constexpr Quadratic& operator+=(const Quadratic& b) { return *this = *this + b; }
  constexpr Quadratic& operator-=(const Quadratic& b) { return *this = *this - b; }
  constexpr Quadratic& operator*=(const Quadratic& b) { return *this = *this * b; }

  constexpr Quadratic doubled() const { return {c0.doubled(), c1.doubled()}; }
  constexpr Quadratic negated_if(bool negate) const {
    return {c0.negated_if(negate), c1.negated_if(negate)};
  }
  constexpr Quadratic halved() const { return {c0.halved(), c1.halved()}; }
  // Two multiplications.
  constexpr Quadratic squared() const { return {(c0 + c1) * (c0 - c1), (c0 * c1).doubled()}; }
  constexpr Quadratic conjugate() const { return {c0, -c1}; }
  constexpr F norm() const { return c0.squared() + c1.squared(); }
  // Zero for zero.
  Quadratic inverse() const {
    const F scale = norm().inverse();
    return {c0 * scale, -(c1 * scale)};
  }
};

}  // namespace prover::field
