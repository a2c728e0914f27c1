// SPDX-License-Identifier: Apache-2.0
// Coordinates of points, eight at once: VectorField and its quadratic extension under one set of
// names, in the three forms that ifma.hpp explains: 2^0 (as in memory), 2^kHalf and 2^kShift.
#pragma once

#include "prover/field/ifma.hpp"
#include "prover/field/quadratic.hpp"

#if defined(__x86_64__)

namespace prover::field {

// F: Field or Quadratic, with any multiplication.
template <class F>
struct VectorCoordinate;

template <class P, class Mul>
struct VectorCoordinate<Field<P, Mul>> : VectorField<P> {
  using Base = VectorField<P>;
  using typename Base::Element;
  using typename Base::Words;
  static constexpr int kWords = Base::kWords;

  PROVER_IFMA_INLINE static Words from_columns(const __m512i* columns) {
    Words a;
    PROVER_UNROLL
    for (int i = 0; i < kWords; ++i) a.w[i] = columns[i];
    return a;
  }
  PROVER_IFMA_INLINE static void to_columns(const Words& a, __m512i* columns) {
    PROVER_UNROLL
    for (int i = 0; i < kWords; ++i) columns[i] = a.w[i];
  }
  PROVER_IFMA_INLINE static Element one() {
    Element a;
    PROVER_UNROLL
    for (int i = 0; i < Base::kLimbs; ++i) a.l[i] = Base::all(i == 0);
    return a;
  }
  PROVER_IFMA_INLINE static Element zero() { return Base::sub(one(), one()); }

  // An element whose inverse is enough to invert `a`: a itself.
  PROVER_IFMA_INLINE static Element norm(const Element& a) { return a; }
  // 2^kHalf dy / d from 2^kHalf dy, 2^kShift d and 2^kShift / norm(d). Below 1.5 p for dy < 8 p.
  PROVER_IFMA_INLINE static Element quotient(const Element& dy, const Element&,
                                             const Element& inverse) {
    return Base::mul(dy, inverse);
  }
  // a a and a b of two in the form 2^kHalf; in the form of memory and below 2 p (a < 2 p, b < 8 p).
  PROVER_IFMA_INLINE static Element square(const Element& a) { return Base::sqr(a); }
  PROVER_IFMA_INLINE static Element times(const Element& a, const Element& b) {
    return Base::mul(a, b);
  }
  // 2^kHalf 3 a a
  PROVER_IFMA_INLINE static Element triple_square(const Words& a) {
    const Element square =
        Base::mul(Base::template unpack<Base::kShift>(a), Base::template unpack<Base::kHalf>(a));
    return Base::carried(Base::add(Base::add(square, square), square));
  }
};

template <class P, class Mul>
struct VectorCoordinate<Quadratic<Field<P, Mul>>> {
  using Base = VectorField<P>;
  using Prime = VectorCoordinate<Field<P, Mul>>;
  static constexpr int kWords = 2 * Base::kWords;
  static constexpr int kShift = Base::kShift, kHalf = Base::kHalf;

  struct Words {
    typename Base::Words c0, c1;
  };
  struct Element {
    typename Base::Element c0, c1;
  };

  PROVER_IFMA_INLINE static Words from_columns(const __m512i* columns) {
    return {Prime::from_columns(columns), Prime::from_columns(columns + Base::kWords)};
  }
  PROVER_IFMA_INLINE static void to_columns(const Words& a, __m512i* columns) {
    Prime::to_columns(a.c0, columns);
    Prime::to_columns(a.c1, columns + Base::kWords);
  }
  PROVER_IFMA_INLINE static Element one() { return {Prime::one(), Prime::zero()}; }
  PROVER_IFMA_INLINE static Element zero() { return {Prime::zero(), Prime::zero()}; }

  template <int S>
  PROVER_IFMA_INLINE static Element unpack(const Words& a) {
    return {Base::template unpack<S>(a.c0), Base::template unpack<S>(a.c1)};
  }
  PROVER_IFMA_INLINE static Words pack(const Element& a) {
    return {Base::pack(a.c0), Base::pack(a.c1)};
  }
  PROVER_IFMA_INLINE static Element add(const Element& a, const Element& b) {
    return {Base::add(a.c0, b.c0), Base::add(a.c1, b.c1)};
  }
  PROVER_IFMA_INLINE static Element sub(const Element& a, const Element& b) {
    return {Base::sub(a.c0, b.c0), Base::sub(a.c1, b.c1)};
  }
  template <int S>
  PROVER_IFMA_INLINE static Element lifted(const Element& a) {
    return {Base::template lifted<S>(a.c0), Base::template lifted<S>(a.c1)};
  }
  template <int S>
  PROVER_IFMA_INLINE static Element negate_where(__mmask8 where, const Element& a) {
    return {Base::template negate_where<S>(where, a.c0),
            Base::template negate_where<S>(where, a.c1)};
  }
  PROVER_IFMA_INLINE static Element select(__mmask8 where, const Element& a, const Element& b) {
    return {Base::select(where, a.c0, b.c0), Base::select(where, a.c1, b.c1)};
  }
  PROVER_IFMA_INLINE static Element carried(const Element& a) {
    return {Base::carried(a.c0), Base::carried(a.c1)};
  }
  PROVER_IFMA_INLINE static Element canonical(const Element& a) {
    return {Base::canonical(a.c0), Base::canonical(a.c1)};
  }
  PROVER_IFMA_INLINE static __mmask8 is_zero(const Words& a) {
    return static_cast<__mmask8>(Base::is_zero(a.c0) & Base::is_zero(a.c1));
  }
  PROVER_IFMA_INLINE static __mmask8 is_equal(const Words& a, const Words& b) {
    return static_cast<__mmask8>(Base::is_equal(a.c0, b.c0) & Base::is_equal(a.c1, b.c1));
  }

  // c0^2 + c1^2: 1 / a = (c0 - c1 u) / norm.
  PROVER_IFMA_INLINE static typename Base::Element norm(const Element& a) {
    typename Base::Wide t = Base::squares(a.c0, a.c1);
    return Base::reduce(t);
  }
  PROVER_IFMA_INLINE static Element quotient(const Element& dy, const Element& d,
                                             const typename Base::Element& inverse) {
    const Element conjugate = {d.c0, negated<kShift + 1>(d.c1)};
    const Element product = times(dy, conjugate);
    return {Base::mul(product.c0, inverse), Base::mul(product.c1, inverse)};
  }
  // (c0 + c1)(c0 - c1), 2 c0 c1
  PROVER_IFMA_INLINE static Element square(const Element& a) {
    const auto sum = Base::carried(Base::add(a.c0, a.c1));
    const auto difference = Base::template lifted<1>(Base::sub(a.c0, a.c1));
    const auto twice = Base::carried(Base::add(a.c0, a.c0));
    return {Base::mul(sum, difference), Base::mul(twice, a.c1)};
  }
  // Two products share each reduction. b.c1 is at most 2^(kShift + 1) p.
  PROVER_IFMA_INLINE static Element times(const Element& a, const Element& b) {
    const auto minus = negated<kShift + 1>(b.c1);
    typename Base::Wide t0 = Base::product(a.c0, b.c0);
    Base::accumulate(t0, a.c1, minus);
    const auto c0 = Base::reduce(t0);
    typename Base::Wide t1 = Base::product(a.c0, b.c1);
    Base::accumulate(t1, a.c1, b.c0);
    return {c0, Base::reduce(t1)};
  }
  PROVER_IFMA_INLINE static Element triple_square(const Words& a) {
    const auto x0 = Base::template unpack<kShift>(a.c0), x1 = Base::template unpack<kShift>(a.c1);
    const auto sum = Base::carried(Base::add(x0, x1)), twice = Base::carried(Base::add(x0, x0));
    const auto y1 = Base::template unpack<kHalf>(a.c1);
    const auto difference =
        Base::template lifted<kHalf>(Base::sub(Base::template unpack<kHalf>(a.c0), y1));
    const Element square = {Base::mul(sum, difference), Base::mul(twice, y1)};
    return carried(add(add(square, square), square));
  }

 private:
  // 2^S p - a
  template <int S>
  PROVER_IFMA_INLINE static typename Base::Element negated(const typename Base::Element& a) {
    return Base::template lifted<S>(Base::sub(Prime::zero(), a));
  }
};

}  // namespace prover::field

#endif
