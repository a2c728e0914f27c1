// SPDX-License-Identifier: Apache-2.0
// Whether a point of the curve lies in the group of order r: by endomorphisms whose action on the
// group is multiplication by a short number.
//
// On the twist, psi (the Frobenius of the curve, seen from there) satisfies
// psi^2 - t psi + q = 0. A combination f(psi) that is 0 on the group leaves a + b psi after
// division by that; what it kills has an order that divides a^2 + a b t + b^2 q, and on all curves
// here this number has no divisor but r in common with the number of points. The test is therefore
// exact. Ref: Scott, A note on group membership tests for G1, G2 and GT on BLS pairing-friendly
// curves (2021); Dai, Lin, Zhao, Zhou, Fast subgroup membership testings for G1, G2 and GT on
// pairing-friendly curves (2022); El Housni, Guillevic, Piellard, Co-factor clearing and subgroup
// membership testing on pairing-friendly curves (2022).
#pragma once

#include "prover/curve/pairing.hpp"

namespace prover::curve {

// The Frobenius of the curve on its twist. BN254's twist goes to the curve by powers of w, the
// other by those of 1 / w.
template <class C>
Affine<typename C::Fq2> twisted_frobenius(const Affine<typename C::Fq2>& q) {
  using Factors = std::pair<typename C::Fq2, typename C::Fq2>;
  static const Factors factors = [] {
    const auto& power = Gt<C>::frobenius_powers();
    if constexpr (C::kId == CurveId::bn254) return Factors{power[2], power[3]};
    return Factors{power[2].inverse(), power[3].inverse()};
  }();
  return {q.x.conjugate() * factors.first, q.y.conjugate() * factors.second};
}

// A cube root of 1 that makes (x, y) -> (root x, y) multiply the points of BLS12-381's G1 by -x^2,
// x the parameter of the curve.
template <class C>
typename C::Fq endomorphism_root() {
  using Fq = typename C::Fq;
  using Point = Jacobian<Fq>;
  static const Fq root = [] {
    const auto& power = Gt<C>::frobenius_powers();
    const Fq candidate = (power[2] * power[2].conjugate()).c0;  // xi^((q^2 - 1) / 3), of order 3
    constexpr auto x = field::from_word<1>(PairingParameters<C>::kX);
    const auto g = C::G1::generator();
    const Point image = -Point::from(g).times(x).times(x);
    return Point::from(Affine<Fq>{candidate * g.x, g.y}) == image ? candidate : candidate.squared();
  }();
  return root;
}

// Infinity is in every group. The point must be on its curve (is_on_curve).
template <class C>
bool is_in_subgroup(const Affine<typename C::Fq>& p) {
  using Point = Jacobian<typename C::Fq>;
  if constexpr (C::kId == CurveId::bn254) {
    return true;  // there are no other points
  } else {
    if (p.is_infinity()) return true;
    constexpr auto x = field::from_word<1>(PairingParameters<C>::kX);
    const auto image = Affine<typename C::Fq>{endomorphism_root<C>() * p.x, p.y};
    return Point::from(p).times(x).times(x) == Point::from(-image);
  }
}

template <class C>
bool is_in_subgroup(const Affine<typename C::Fq2>& q) {
  using Point = Jacobian<typename C::Fq2>;
  if (q.is_infinity()) return true;
  constexpr auto x = field::from_word<1>(PairingParameters<C>::kX);
  const auto psi = [](const Affine<typename C::Fq2>& a) { return twisted_frobenius<C>(a); };
  const Point multiple = Point::from(q).times(x);
  if constexpr (C::kId == CurveId::bn254) {
    // (x + 1) + x psi + x psi^2 = 2 x psi^3
    const auto first = multiple.affine(), second = psi(first), third = psi(second);
    return multiple + q + second + third == Point::from(psi(third)).doubled();
  } else {
    return Point::from(psi(q)) == -multiple;  // psi = the parameter, -x
  }
}

}  // namespace prover::curve
