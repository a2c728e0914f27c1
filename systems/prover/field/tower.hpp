// SPDX-License-Identifier: Apache-2.0
// The field of pairings: Fq6 = Fq2[v] / (v^3 - xi), Fq12 = Fq6[w] / (w^2 - v), xi = kXi + u with
// kXi = 9 for BN254 and 1 for BLS12-381.
// Ref: Devegili, O hEigeartaigh, Scott, Dahab, Multiplication and squaring on pairing-friendly
// fields (2006); Granger, Scott, Faster squaring in the cyclotomic subgroup of sixth degree
// extensions (2010).
#pragma once

#include "prover/field/quadratic.hpp"

namespace prover::field {

// a xi
template <unsigned kXi, class F>
constexpr Quadratic<F> times_xi(const Quadratic<F>& a) {
  static_assert(kXi == 1 || kXi == 9);
  if constexpr (kXi == 1) return {a.c0 - a.c1, a.c0 + a.c1};
  const Quadratic<F> nine = a.doubled().doubled().doubled() + a;
  return {nine.c0 - a.c1, nine.c1 + a.c0};
}

// c0 + c1 v + c2 v^2 over F2 = Fq2.
template <class F2, unsigned kXi>
struct Cubic {
  F2 c0, c1, c2;

  static constexpr Cubic zero() { return {}; }
  static constexpr Cubic one() { return {F2::one(), {}, {}}; }
  constexpr bool is_zero() const { return c0.is_zero() && c1.is_zero() && c2.is_zero(); }
  constexpr bool operator==(const Cubic&) const = default;

  constexpr Cubic operator+(const Cubic& b) const { return {c0 + b.c0, c1 + b.c1, c2 + b.c2}; }
  constexpr Cubic operator-(const Cubic& b) const { return {c0 - b.c0, c1 - b.c1, c2 - b.c2}; }
  constexpr Cubic operator-() const { return {-c0, -c1, -c2}; }
  constexpr Cubic doubled() const { return {c0.doubled(), c1.doubled(), c2.doubled()}; }
  // Six multiplications (Karatsuba).
  constexpr Cubic operator*(const Cubic& b) const {
    const F2 p0 = c0 * b.c0, p1 = c1 * b.c1, p2 = c2 * b.c2;
    const F2 p12 = (c1 + c2) * (b.c1 + b.c2) - p1 - p2;
    const F2 p01 = (c0 + c1) * (b.c0 + b.c1) - p0 - p1;
    const F2 p02 = (c0 + c2) * (b.c0 + b.c2) - p0 - p2;
    return {p0 + times_xi<kXi>(p12), p01 + times_xi<kXi>(p2), p02 + p1};
  }
  constexpr Cubic squared() const { return *this * *this; }
  constexpr Cubic operator*(const F2& b) const { return {c0 * b, c1 * b, c2 * b}; }
  // a (b0 + b1 v): five multiplications.
  constexpr Cubic times_01(const F2& b0, const F2& b1) const {
    const F2 p0 = c0 * b0, p1 = c1 * b1;
    const F2 p12 = (c1 + c2) * b1 - p1;  // c2 b1
    return {p0 + times_xi<kXi>(p12), (c0 + c1) * (b0 + b1) - p0 - p1, (c0 + c2) * b0 - p0 + p1};
  }
  // a b1 v
  constexpr Cubic times_1(const F2& b1) const { return {times_xi<kXi>(c2 * b1), c0 * b1, c1 * b1}; }
  constexpr Cubic times_v() const { return {times_xi<kXi>(c2), c0, c1}; }
  // Zero for zero. The product of the two other conjugates over the norm.
  Cubic inverse() const {
    const F2 d0 = c0.squared() - times_xi<kXi>(c1 * c2);
    const F2 d1 = times_xi<kXi>(c2.squared()) - c0 * c1;
    const F2 d2 = c1.squared() - c0 * c2;
    const F2 norm = c0 * d0 + times_xi<kXi>(c2 * d1 + c1 * d2);
    return Cubic{d0, d1, d2} * norm.inverse();
  }
};

// c0 + c1 w.
template <class F2, unsigned kXi>
struct Dodecic {
  using Half = Cubic<F2, kXi>;
  using F = typename F2::Base;

  Half c0, c1;

  static constexpr Dodecic zero() { return {}; }
  static constexpr Dodecic one() { return {Half::one(), {}}; }
  constexpr bool is_zero() const { return c0.is_zero() && c1.is_zero(); }
  constexpr bool operator==(const Dodecic&) const = default;

  constexpr Dodecic operator+(const Dodecic& b) const { return {c0 + b.c0, c1 + b.c1}; }
  constexpr Dodecic operator*(const Dodecic& b) const {
    const Half low = c0 * b.c0, high = c1 * b.c1;
    return {low + high.times_v(), (c0 + c1) * (b.c0 + b.c1) - low - high};
  }
  constexpr Dodecic& operator*=(const Dodecic& b) { return *this = *this * b; }
  // Two multiplications: (c0 + c1)(c0 + v c1) = c0^2 + v c1^2 + (1 + v) c0 c1.
  constexpr Dodecic squared() const {
    const Half product = c0 * c1;
    const Half both = (c0 + c1) * (c0 + c1.times_v());
    return {both - product - product.times_v(), product.doubled()};
  }
  // a^(q^6)
  constexpr Dodecic conjugate() const { return {c0, -c1}; }
  // Zero for zero.
  Dodecic inverse() const {
    const Half scale = (c0.squared() - c1.squared().times_v()).inverse();
    return {c0 * scale, -(c1 * scale)};
  }

  // a (b0 + b3 w + b4 v w): the lines of BN254.
  constexpr Dodecic times_034(const F2& b0, const F2& b3, const F2& b4) const {
    const Half low = c0 * b0, high = c1.times_01(b3, b4);
    return {low + high.times_v(), (c0 + c1).times_01(b0 + b3, b4) - low - high};
  }
  // a (b0 + b1 v + b4 v w): the lines of BLS12-381.
  constexpr Dodecic times_014(const F2& b0, const F2& b1, const F2& b4) const {
    const Half low = c0.times_01(b0, b1), high = c1.times_1(b4);
    return {low + high.times_v(), (c0 + c1).times_01(b0, b1 + b4) - low - high};
  }

  // a^2 for a of the cyclotomic subgroup, a^(q^4 - q^2 + 1) = 1: three squares in Fq4.
  constexpr Dodecic cyclotomic_squared() const {
    const auto [a0, a1] = square_in_fq4(c0.c0, c1.c1);
    const auto [b0, b1] = square_in_fq4(c1.c0, c0.c2);
    const auto [d0, d1] = square_in_fq4(c0.c1, c1.c2);
    const auto less = [](const F2& square, const F2& old) {  // 3 square - 2 old
      return (square - old).doubled() + square;
    };
    const auto more = [](const F2& square, const F2& old) {
      return (square + old).doubled() + square;
    };
    return {{less(a0, c0.c0), less(b0, c0.c1), less(d0, c0.c2)},
            {more(times_xi<kXi>(d1), c1.c0), more(a1, c1.c1), more(b1, c1.c2)}};
  }

  // a^q. Its constants are computed at the first call: with a = sum a_i w^i over Fq2, a^q has
  // conjugate(a_i) xi^(i (q - 1) / 6).
  Dodecic frobenius() const {
    const auto& power = frobenius_powers();
    return {
        {c0.c0.conjugate(), c0.c1.conjugate() * power[2], c0.c2.conjugate() * power[4]},
        {c1.c0.conjugate() * power[1], c1.c1.conjugate() * power[3], c1.c2.conjugate() * power[5]}};
  }
  // xi^(i (q - 1) / 6), i < 6.
  static const std::array<F2, 6>& frobenius_powers() {
    static const std::array<F2, 6> powers = [] {
      const F2 xi{F::from_word(kXi), F::one()};
      auto exponent = F::kModulus;  // (q - 1) / 6 = floor(q / 6)
      Wide rest = 0;
      for (std::size_t i = exponent.size(); i-- > 0;) {
        rest = rest << 64 | exponent[i];
        exponent[i] = static_cast<std::uint64_t>(rest / 6);
        rest %= 6;
      }
      F2 step = F2::one();
      for (std::size_t i = 64 * exponent.size(); i-- > 0;) {
        step = step.squared();
        if (bit(exponent, i)) step *= xi;
      }
      std::array<F2, 6> table;
      table[0] = F2::one();
      for (std::size_t i = 1; i < 6; ++i) table[i] = table[i - 1] * step;
      return table;
    }();
    return powers;
  }

 private:
  // (a + b y)^2 with y^2 = xi.
  static constexpr std::pair<F2, F2> square_in_fq4(const F2& a, const F2& b) {
    const F2 product = a * b;
    return {(a + b) * (a + times_xi<kXi>(b)) - product - times_xi<kXi>(product), product.doubled()};
  }
};

}  // namespace prover::field
