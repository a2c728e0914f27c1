// SPDX-License-Identifier: Apache-2.0
// Points of y^2 = x^3 + b over any field (a = 0 on both curves). Affine is how points are stored:
// x, y, and all zero for infinity, which is no point of the curves because b is not 0. Jacobian
// (X / Z^2, Y / Z^3) is how they are added one by one; Z = 0 is infinity.
// Ref: Bernstein, Lange, Explicit-Formulas Database, short Weierstrass, a = 0: dbl-2009-l,
// madd-2007-bl, add-2007-bl.
#pragma once

#include "prover/field/quadratic.hpp"

namespace prover::curve {

template <class F>
struct Affine {
  static constexpr std::size_t kBytes = 2 * F::kBytes;

  F x, y;

  static Affine load(const std::byte* bytes) {
    return {F::load(bytes), F::load(bytes + F::kBytes)};
  }
  void store(std::byte* bytes) const {
    x.store(bytes);
    y.store(bytes + F::kBytes);
  }
  constexpr bool is_infinity() const { return x.is_zero() && y.is_zero(); }
  constexpr Affine operator-() const { return {x, -y}; }
  constexpr bool operator==(const Affine&) const = default;
};

// Whether the point satisfies y^2 = x^3 + b (infinity does) with coordinates below the modulus.
template <class F>
constexpr bool is_on_curve(const Affine<F>& point, const F& b) {
  if (!point.x.is_reduced() || !point.y.is_reduced()) return false;
  if (point.is_infinity()) return true;
  return point.y.squared() == point.x.squared() * point.x + b;
}

template <class F>
struct Jacobian {
  F x, y, z;

  static constexpr Jacobian infinity() { return {F::one(), F::one(), F::zero()}; }
  static constexpr Jacobian from(const Affine<F>& point) {
    return point.is_infinity() ? infinity() : Jacobian{point.x, point.y, F::one()};
  }
  constexpr bool is_infinity() const { return z.is_zero(); }
  constexpr Jacobian operator-() const { return {x, -y, z}; }

  constexpr Jacobian doubled() const {
    if (is_infinity()) return *this;
    const F a = x.squared(), b = y.squared(), c = b.squared();
    const F d = ((x + b).squared() - a - c).doubled();
    const F e = a + a.doubled(), f = e.squared();
    const F x3 = f - d.doubled();
    return {x3, e * (d - x3) - c.doubled().doubled().doubled(), (y * z).doubled()};
  }
  constexpr Jacobian operator+(const Affine<F>& b) const {
    if (b.is_infinity()) return *this;
    if (is_infinity()) return from(b);
    const F zz = z.squared(), u2 = b.x * zz, s2 = b.y * z * zz;
    const F h = u2 - x, r = (s2 - y).doubled();
    if (h.is_zero()) return r.is_zero() ? doubled() : infinity();
    const F hh = h.squared(), i = hh.doubled().doubled(), j = h * i, v = x * i;
    const F x3 = r.squared() - j - v.doubled();
    return {x3, r * (v - x3) - (y * j).doubled(), (z + h).squared() - zz - hh};
  }
  constexpr Jacobian operator+(const Jacobian& b) const {
    if (b.is_infinity()) return *this;
    if (is_infinity()) return b;
    const F z1z1 = z.squared(), z2z2 = b.z.squared();
    const F u1 = x * z2z2, u2 = b.x * z1z1;
    const F s1 = y * b.z * z2z2, s2 = b.y * z * z1z1;
    const F h = u2 - u1, r = (s2 - s1).doubled();
    if (h.is_zero()) return r.is_zero() ? doubled() : infinity();
    const F i = h.doubled().squared(), j = h * i, v = u1 * i;
    const F x3 = r.squared() - j - v.doubled();
    return {x3, r * (v - x3) - (s1 * j).doubled(), ((z + b.z).squared() - z1z1 - z2z2) * h};
  }
  constexpr Jacobian operator-(const Jacobian& b) const { return *this + (-b); }
  constexpr Jacobian& operator+=(const Affine<F>& b) { return *this = *this + b; }
  constexpr Jacobian& operator+=(const Jacobian& b) { return *this = *this + b; }

  // scalar: an integer of any number of limbs, by doubling and adding.
  template <std::size_t M>
  constexpr Jacobian times(const field::Limbs<M>& scalar) const {
    Jacobian sum = infinity();
    for (std::size_t i = 64 * M; i-- > 0;) {
      sum = sum.doubled();
      if (field::bit(scalar, i)) sum += *this;
    }
    return sum;
  }

  Affine<F> affine() const {
    if (is_infinity()) return {};
    const F inverse = z.inverse(), square = inverse.squared();
    return {x * square, y * square * inverse};
  }
  // The same point, whatever its Z.
  constexpr bool operator==(const Jacobian& b) const {
    if (is_infinity() || b.is_infinity()) return is_infinity() && b.is_infinity();
    const F z1z1 = z.squared(), z2z2 = b.z.squared();
    return x * z2z2 == b.x * z1z1 && y * b.z * z2z2 == b.y * z * z1z1;
  }
};

}  // namespace prover::curve
