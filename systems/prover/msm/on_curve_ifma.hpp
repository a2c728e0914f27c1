// SPDX-License-Identifier: Apache-2.0
// first_off_curve, eight points at a time. Every value between two steps is canonical and in the
// form of memory: simple, and still far cheaper than the additions that the points are for.
#pragma once

#include "prover/field/ifma.hpp"
#include "prover/field/ifma_rows.hpp"
#include "prover/msm/kernels.hpp"

#if defined(__x86_64__)

namespace prover::msm {

// Arithmetic on eight canonical values; D = 1 for the prime field, 2 for its quadratic extension.
template <class Base, int D>
struct CanonicalVector {
  using Words = typename Base::Words;
  Words c[D];

  PROVER_IFMA_INLINE static Words minus(const Words& a, const Words& b) {
    return Base::pack(
        Base::canonical(Base::sub(Base::template unpack<0>(a), Base::template unpack<0>(b))));
  }
  PROVER_IFMA_INLINE static Words plus(const Words& a, const Words& b) {
    const auto sum = Base::add(Base::template unpack<0>(a), Base::template unpack<0>(b));
    return Base::pack(Base::canonical(Base::sub(sum, Base::broadcast(Base::kModulus))));
  }
  PROVER_IFMA_INLINE static Words times(const Words& a, const Words& b) {
    // Below 3 p before the modulus is taken off.
    const auto product =
        Base::mul(Base::template unpack<Base::kShift>(a), Base::template unpack<0>(b));
    return Base::pack(Base::canonical(Base::sub(product, Base::broadcast(Base::kModulus))));
  }

  PROVER_IFMA_INLINE CanonicalVector operator-(const CanonicalVector& b) const {
    CanonicalVector difference;
    for (int i = 0; i < D; ++i) difference.c[i] = minus(c[i], b.c[i]);
    return difference;
  }
  PROVER_IFMA_INLINE CanonicalVector operator*(const CanonicalVector& b) const {
    if constexpr (D == 1) {
      return {{times(c[0], b.c[0])}};
    } else {
      return {{minus(times(c[0], b.c[0]), times(c[1], b.c[1])),
               plus(times(c[0], b.c[1]), times(c[1], b.c[0]))}};
    }
  }
  PROVER_IFMA_INLINE unsigned is_zero() const {
    unsigned zero = 0xff;
    for (int i = 0; i < D; ++i) zero &= Base::is_zero(c[i]);
    return zero;
  }
  // Where all parts are below the modulus.
  PROVER_IFMA_INLINE unsigned is_reduced() const {
    unsigned reduced = 0xff;
    for (int i = 0; i < D; ++i)
      reduced &= Base::is_negative(
          Base::sub(Base::template unpack<0>(c[i]), Base::broadcast(Base::kModulus)));
    return reduced;
  }
};

// Base: the VectorField of the coordinates' prime field; D: the degree of their field over it.
template <class Base, int D>
class VectorCurve {
  using Vector = CanonicalVector<Base, D>;
  static constexpr int kWords = D * Base::kWords;
  static constexpr std::size_t kPointBytes = 16 * kWords;

 public:
  // `b`: the curve's constant where a point has x; what follows it, as long, is not used.
  PROVER_TARGET_IFMA static std::size_t first_off_curve(const std::byte* points, std::size_t count,
                                                        const std::byte* b) {
    field::Rows rows;
    for (int i = 0; i < 8; ++i) rows.at[i] = b;
    Vector constant, x, y;
    load(rows, constant, y);
    for (std::size_t begin = 0; begin < count; begin += 8) {
      for (std::size_t i = 0; i < 8; ++i)  // lanes behind the last point repeat it
        rows.at[i] = points + (begin + i < count ? begin + i : count - 1) * kPointBytes;
      load(rows, x, y);
      const unsigned fits = (y * y - x * x * x - constant).is_zero() | (x.is_zero() & y.is_zero());
      const unsigned bad = ~(fits & x.is_reduced() & y.is_reduced()) & 0xffu;
      if (bad == 0) continue;
      const std::size_t first = begin + static_cast<std::size_t>(__builtin_ctz(bad));
      return first < count ? first : count - 1;
    }
    return count;
  }

 private:
  PROVER_IFMA_INLINE static void load(const field::Rows& rows, Vector& x, Vector& y) {
    __m512i columns[2 * kWords];
    field::load_rows<2 * kWords>(rows, 0, columns);
    for (int i = 0; i < kWords; ++i) {
      x.c[i / Base::kWords].w[i % Base::kWords] = columns[i];
      y.c[i / Base::kWords].w[i % Base::kWords] = columns[kWords + i];
    }
  }
};

}  // namespace prover::msm

#endif
