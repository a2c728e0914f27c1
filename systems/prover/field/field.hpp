// SPDX-License-Identifier: Apache-2.0
// A prime field. An element is its Montgomery form a 2^(64 N) mod p, always below p, in N limbs:
// what .zkey files hold for points. Everything derived from the modulus is computed by the
// compiler. Not constant-time: inversion and comparison depend on the values.
#pragma once

#include <span>

#include "prover/field/inverse.hpp"
#include "prover/field/montgomery.hpp"

namespace prover::field {

// P: kLimbs and kModulus (odd, its top bit clear). Mul: how to multiply (montgomery.hpp,
// mul_x86_64.hpp); fields that differ only in Mul have the same bytes.
template <class P, class Mul = PortableMul>
class Field {
 public:
  using Params = P;
  static constexpr std::size_t kLimbs = P::kLimbs;
  static constexpr std::size_t kBytes = 8 * kLimbs;
  static constexpr Limbs<kLimbs> kModulus = P::kModulus;
  using Plain = Limbs<kLimbs>;

  constexpr Field() = default;  // zero
  // The element whose Montgomery form is `limbs` (< p).
  static constexpr Field from_montgomery(const Plain& limbs) { return Field(limbs); }
  // The element of an integer < p.
  static constexpr Field from_plain(const Plain& integer) {
    return Field(Mul::template mul<P>(integer, kR2));
  }
  static constexpr Field from_word(std::uint64_t word) {
    return from_plain(field::from_word<kLimbs>(word));
  }
  // Montgomery bytes, as files of keys hold them; they must be < p (see is_reduced).
  static Field load(const std::byte* bytes) { return Field(load_limbs<kLimbs>(bytes)); }
  void store(std::byte* bytes) const { store_limbs<kLimbs>(bytes, limbs_); }

  static constexpr Field zero() { return Field(); }
  static constexpr Field one() { return Field(kR); }

  constexpr const Plain& montgomery() const { return limbs_; }
  constexpr Plain plain() const {
    return Mul::template mul<P>(limbs_, field::from_word<kLimbs>(1));
  }
  constexpr bool is_zero() const { return field::is_zero(limbs_); }
  // False only for elements that were loaded from bytes which are no element.
  constexpr bool is_reduced() const { return less(limbs_, kModulus); }

  constexpr bool operator==(const Field&) const = default;

  constexpr Field operator+(const Field& b) const {
    Field sum = *this;
    add_to(sum.limbs_, b.limbs_);
    subtract_once(sum.limbs_, kModulus);
    return sum;
  }
  constexpr Field operator-(const Field& b) const {
    Field difference = *this;
    const std::uint64_t mask = ~sub_from(difference.limbs_, b.limbs_) + 1;
    Plain back = kModulus;
    unrolled<kLimbs>([&](auto i) PROVER_INLINE { back[i] &= mask; });
    add_to(difference.limbs_, back);
    return difference;
  }
  constexpr Field operator-() const { return Field() - *this; }
  constexpr Field operator*(const Field& b) const {
    return Field(Mul::template mul<P>(limbs_, b.limbs_));
  }
  constexpr Field& operator+=(const Field& b) { return *this = *this + b; }
  constexpr Field& operator-=(const Field& b) { return *this = *this - b; }
  constexpr Field& operator*=(const Field& b) { return *this = *this * b; }

  constexpr Field doubled() const { return *this + *this; }
  constexpr Field squared() const { return *this * *this; }
  // -a when `negate`, without a branch: signs of digits cannot be predicted.
  constexpr Field negated_if(bool negate) const {
    const Field other = -*this;
    Field chosen;
    for (std::size_t i = 0; i < kLimbs; ++i)
      chosen.limbs_[i] = negate ? other.limbs_[i] : limbs_[i];
    return chosen;
  }
  constexpr Field halved() const {
    Field half = *this;
    if ((half.limbs_[0] & 1) != 0) add_to(half.limbs_, kModulus);  // below 2^(64 N): a free bit
    half.limbs_ = shift_right(half.limbs_, 1);
    return half;
  }

  // exponent: an integer of any number of limbs.
  template <std::size_t M>
  constexpr Field pow(const Limbs<M>& exponent) const {
    Field power = one();
    for (std::size_t i = 64 * M; i-- > 0;) {
      power = power.squared();
      if (bit(exponent, i)) power *= *this;
    }
    return power;
  }

  // 1 / a; zero for zero. A few microseconds: see invert_all for many.
  Field inverse() const {
    // (a R)^-1 R^3 / R = a^-1 R
    return Field(Mul::template mul<P>(modular_inverse<kLimbs>(limbs_, kModulus), kR3));
  }

  // a is a square: a^((p-1)/2) is not -1.
  constexpr bool is_square() const {
    Plain exponent = kModulus;
    exponent = shift_right(exponent, 1);
    const Field symbol = pow(exponent);
    return symbol.is_zero() || symbol == one();
  }

 private:
  explicit constexpr Field(const Plain& limbs) : limbs_(limbs) {}

  static constexpr Plain kR = power_of_two(kModulus, 64 * kLimbs);
  static constexpr Plain kR2 = power_of_two(kModulus, 128 * kLimbs);
  static constexpr Plain kR3 = power_of_two(kModulus, 192 * kLimbs);

  Plain limbs_{};
};

// Replaces every element by its inverse (zero stays zero) at the price of three multiplications
// each and one inversion. `scratch` has as many elements. Works for towers too.
template <class F>
void invert_all(std::span<F> values, std::span<F> scratch) {
  F product = F::one();
  for (std::size_t i = 0; i < values.size(); ++i) {
    scratch[i] = product;
    if (!values[i].is_zero()) product *= values[i];
  }
  F inverse = product.inverse();
  for (std::size_t i = values.size(); i-- > 0;) {
    if (values[i].is_zero()) continue;
    const F value = values[i];
    values[i] = inverse * scratch[i];
    inverse *= value;
  }
}

}  // namespace prover::field
