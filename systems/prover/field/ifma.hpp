// SPDX-License-Identifier: Apache-2.0
// Eight elements of a prime field at once, one in each 64-bit lane, with AVX-512 IFMA: limbs of 52
// bits, 5 for moduli of 4 words of 64 bits and 8 for those of 6. Memory keeps the form of Field
// (Montgomery, 2^(64 N), below p); Words and Element are that form transposed, in limbs of 64 and
// of 52 bits.
//
// A product here divides by 2^(52 L), which is 2^kShift too much: 2^4 or 2^32. So some operands are
// unpacked shifted to the left, which costs no instruction: `unpack<s>` gives 2^s a, and
// mul(2^s a, 2^t b) is 2^(s + t - kShift) (a b) in the form of memory. kHalf = kShift / 2 makes
// squares come out right. Values are integers that stand for their residues; a comment says how far
// they may go in units of p.
//
// Reduction cancels one limb after the other. For all limbs but the last it adds multiples of
// c p = -1 mod 2^52: then the multiplier is the limb itself, no product is waited for, and the
// whole of q = (c p + 1) / 2^52 goes to the limbs above. What this leaves too much, less than c /
// 2^52 times p, is bounded below by kExcess. The last limb takes p itself. Dividing by 2^(64
// N) exactly, by a last step of 48 or 20 bits, would take 8 more shifts and masks a product. Ref:
// Gueron, Krasnov, Accelerating big integer arithmetic using Intel IFMA extensions.
//
// Every function here carries PROVER_TARGET_IFMA and is inlined into one that does.
#pragma once

#if defined(__x86_64__)

#include "prover/field/intrinsics.hpp"
#include "prover/field/isa.hpp"
#include "prover/field/montgomery.hpp"

#define PROVER_IFMA_INLINE PROVER_TARGET_IFMA __attribute__((always_inline)) inline
#if defined(__clang__)
#define PROVER_UNROLL _Pragma("clang loop unroll(full)")
#else
#define PROVER_UNROLL _Pragma("GCC unroll 32")
#endif

namespace prover::field {

// P: kLimbs (4 or 6) and kModulus.
template <class P>
struct VectorField {
  using Params = P;
  static constexpr int kWords = static_cast<int>(P::kLimbs);
  static constexpr int kLimbs = kWords == 4 ? 5 : 8;
  static constexpr int kShift = 52 * kLimbs - 64 * kWords;
  static constexpr int kHalf = kShift / 2;
  static constexpr std::uint64_t kMask = (std::uint64_t{1} << 52) - 1;
  static_assert(kWords == 4 || kWords == 6);

  struct Words {
    __m512i w[kWords];
  };
  // Limbs below 2^52, unless a comment says "raw": then signed 64-bit numbers, not carried.
  struct Element {
    __m512i l[kLimbs];
  };
  // Columns of a product: the i-th counts 2^(52 i).
  struct Wide {
    __m512i c[2 * kLimbs];
  };

  // Constants as limbs; the compiler broadcasts them.
  struct Constant {
    std::uint64_t l[kLimbs];
  };
  // 2^shift a, which must be below 2^(52 L).
  static constexpr Constant constant(const Limbs<P::kLimbs>& a, int shift = 0) {
    Constant limbs{};
    for (int i = 0; i < 64 * kWords; ++i) {
      const int to = i + shift;
      if (bit(a, static_cast<std::size_t>(i))) limbs.l[to / 52] |= std::uint64_t{1} << (to % 52);
    }
    return limbs;
  }
  // -1 / p mod 2^52
  static constexpr std::uint64_t kInverse = negative_inverse(P::kModulus[0]) & kMask;
  // (kInverse p + 1) / 2^52, below p
  static constexpr Limbs<P::kLimbs> quotient() {
    Limbs<P::kLimbs> low{};
    Wide128 carry = 1;
    for (std::size_t i = 0; i < P::kLimbs; ++i) {
      carry += static_cast<Wide128>(kInverse) * P::kModulus[i];
      low[i] = static_cast<std::uint64_t>(carry);
      carry >>= 64;
    }
    Limbs<P::kLimbs> high = shift_right(low, 52);
    high[P::kLimbs - 1] |= static_cast<std::uint64_t>(carry) << 12;
    return high;
  }
  static constexpr Constant kModulus = constant(P::kModulus);
  static constexpr Constant kQuotient = constant(quotient());
  // c / 2^52, rounded up to eighths: products are below (1 + kExcess / 8 + a b p / 2^(52 L)) p.
  static constexpr int kExcess = static_cast<int>(kInverse >> 49) + 1;

  PROVER_IFMA_INLINE static __m512i all(std::uint64_t value) {
    return _mm512_set1_epi64(static_cast<long long>(value));
  }
  PROVER_IFMA_INLINE static Element broadcast(const Constant& constant) {
    Element a;
    PROVER_UNROLL
    for (int i = 0; i < kLimbs; ++i) a.l[i] = all(constant.l[i]);
    return a;
  }

  // 2^S a.
  template <int S>
  PROVER_IFMA_INLINE static Element unpack(const Words& a) {
    const __m512i mask = all(kMask);
    Element e;
    PROVER_UNROLL
    for (int i = 0; i < kLimbs; ++i) {
      const int low = 52 * i - S, j = low / 64, at = low % 64;
      if (low < 0) {
        e.l[i] = _mm512_and_si512(_mm512_slli_epi64(a.w[0], static_cast<unsigned>(-low)), mask);
      } else if (j + 1 >= kWords) {
        e.l[i] = j < kWords ? _mm512_srli_epi64(a.w[j], static_cast<unsigned>(at))
                            : _mm512_setzero_si512();
        if (at < 12) e.l[i] = _mm512_and_si512(e.l[i], mask);
      } else if (at <= 12) {
        e.l[i] = _mm512_and_si512(_mm512_srli_epi64(a.w[j], static_cast<unsigned>(at)), mask);
      } else {
        // (x | y) & mask
        e.l[i] = _mm512_ternarylogic_epi64(
            _mm512_srli_epi64(a.w[j], static_cast<unsigned>(at)),
            _mm512_slli_epi64(a.w[j + 1], static_cast<unsigned>(64 - at)), mask, 0xa8);
      }
    }
    return e;
  }

  // a below 2^(64 N).
  PROVER_IFMA_INLINE static Words pack(const Element& a) {
    Words w;
    PROVER_UNROLL
    for (int j = 0; j < kWords; ++j) {
      const int i = 64 * j / 52, at = 64 * j % 52;
      w.w[j] = _mm512_or_si512(_mm512_srli_epi64(a.l[i], static_cast<unsigned>(at)),
                               _mm512_slli_epi64(a.l[i + 1], static_cast<unsigned>(52 - at)));
      if (at > 40 && i + 2 < kLimbs)
        w.w[j] =
            _mm512_or_si512(w.w[j], _mm512_slli_epi64(a.l[i + 2], static_cast<unsigned>(104 - at)));
    }
    return w;
  }

  // Raw sums and differences, limb by limb; carried() of the last makes operands of them.
  PROVER_IFMA_INLINE static Element add(const Element& a, const Element& b) {
    Element c;
    PROVER_UNROLL
    for (int i = 0; i < kLimbs; ++i) c.l[i] = _mm512_add_epi64(a.l[i], b.l[i]);
    return c;
  }
  PROVER_IFMA_INLINE static Element sub(const Element& a, const Element& b) {
    Element c;
    PROVER_UNROLL
    for (int i = 0; i < kLimbs; ++i) c.l[i] = _mm512_sub_epi64(a.l[i], b.l[i]);
    return c;
  }
  // a + constant, in the lanes of `where` only
  PROVER_IFMA_INLINE static Element add_where(__mmask8 where, const Element& a,
                                              const Constant& constant) {
    Element c;
    PROVER_UNROLL
    for (int i = 0; i < kLimbs; ++i)
      c.l[i] = _mm512_mask_add_epi64(a.l[i], where, a.l[i], all(constant.l[i]));
    return c;
  }
  // 2^S p - a in the lanes of `where`, else a; raw.
  template <int S>
  PROVER_IFMA_INLINE static Element negate_where(__mmask8 where, const Element& a) {
    constexpr Constant multiple = constant(P::kModulus, S);
    Element c;
    PROVER_UNROLL
    for (int i = 0; i < kLimbs; ++i)
      c.l[i] = _mm512_mask_sub_epi64(a.l[i], where, all(multiple.l[i]), a.l[i]);
    return c;
  }
  // b in the lanes of `where`, else a.
  PROVER_IFMA_INLINE static Element select(__mmask8 where, const Element& a, const Element& b) {
    Element c;
    PROVER_UNROLL
    for (int i = 0; i < kLimbs; ++i) c.l[i] = _mm512_mask_blend_epi64(where, a.l[i], b.l[i]);
    return c;
  }
  // Raw limbs to limbs below 2^52; the value must lie in [0, 2^(52 L)).
  PROVER_IFMA_INLINE static Element carried(const Element& a) {
    const __m512i mask = all(kMask);
    Element c;
    __m512i sum = a.l[0];
    PROVER_UNROLL
    for (int i = 0; i + 1 < kLimbs; ++i) {
      c.l[i] = _mm512_and_si512(sum, mask);
      sum = _mm512_add_epi64(a.l[i + 1], _mm512_srai_epi64(sum, 52));
    }
    c.l[kLimbs - 1] = sum;
    return c;
  }
  // a + 2^S p, carried: for raw a > -2^S p.
  template <int S>
  PROVER_IFMA_INLINE static Element lifted(const Element& a) {
    constexpr Constant multiple = constant(P::kModulus, S);
    return carried(add(a, broadcast(multiple)));
  }
  // Where a raw value is negative.
  PROVER_IFMA_INLINE static __mmask8 is_negative(const Element& a) {
    __m512i sum = a.l[0];
    PROVER_UNROLL
    for (int i = 1; i < kLimbs; ++i) sum = _mm512_add_epi64(a.l[i], _mm512_srai_epi64(sum, 52));
    return _mm512_movepi64_mask(sum);
  }
  // Raw in [-Below p, (4 - Below) p) to [0, p).
  template <int Below = 2>
  PROVER_IFMA_INLINE static Element canonical(const Element& a) {
    static_assert(0 <= Below && Below <= 2);
    const Element p = broadcast(kModulus);
    Element middle = a;
    PROVER_UNROLL
    for (int i = Below; i < 2; ++i) middle = sub(middle, p);
    const __mmask8 low = is_negative(middle);
    Element b;  // in [-p, p)
    PROVER_UNROLL
    for (int i = 0; i < kLimbs; ++i)
      b.l[i] = _mm512_add_epi64(
          middle.l[i], _mm512_mask_blend_epi64(low, all(~kModulus.l[i] + 1), all(kModulus.l[i])));
    return carried(add_where(is_negative(b), b, kModulus));
  }

  PROVER_IFMA_INLINE static __mmask8 is_zero(const Words& a) {
    __m512i any = _mm512_ternarylogic_epi64(a.w[0], a.w[1], a.w[2], 0xfe);
    PROVER_UNROLL
    for (int i = 3; i < kWords; ++i) any = _mm512_or_si512(any, a.w[i]);
    return _mm512_testn_epi64_mask(any, any);
  }
  PROVER_IFMA_INLINE static __mmask8 is_equal(const Words& a, const Words& b) {
    __m512i any = _mm512_xor_si512(a.w[0], b.w[0]);
    PROVER_UNROLL
    for (int i = 1; i < kWords; ++i)  // any | (a ^ b)
      any = _mm512_ternarylogic_epi64(any, a.w[i], b.w[i], 0xf6);
    return _mm512_testn_epi64_mask(any, any);
  }

  PROVER_IFMA_INLINE static __m512i low(__m512i sum, __m512i a, __m512i b) {
    return _mm512_madd52lo_epu64(sum, a, b);
  }
  PROVER_IFMA_INLINE static __m512i high(__m512i sum, __m512i a, __m512i b) {
    return _mm512_madd52hi_epu64(sum, a, b);
  }

  PROVER_IFMA_INLINE static Wide zero_wide() {
    Wide t;
    PROVER_UNROLL
    for (int i = 0; i < 2 * kLimbs; ++i) t.c[i] = _mm512_setzero_si512();
    return t;
  }
  // t += a b. Columns hold the sums of some hundred products.
  PROVER_IFMA_INLINE static void accumulate(Wide& t, const Element& a, const Element& b) {
    PROVER_UNROLL
    for (int i = 0; i < kLimbs; ++i) {
      PROVER_UNROLL
      for (int j = 0; j < kLimbs; ++j) {
        t.c[i + j] = low(t.c[i + j], a.l[i], b.l[j]);
        t.c[i + j + 1] = high(t.c[i + j + 1], a.l[i], b.l[j]);
      }
    }
  }
  PROVER_IFMA_INLINE static Wide product(const Element& a, const Element& b) {
    Wide t = zero_wide();
    accumulate(t, a, b);
    return t;
  }
  // A square: the products of different limbs, doubled, and the squares of limbs.
  PROVER_IFMA_INLINE static void accumulate_mixed(Wide& t, const Element& a) {
    PROVER_UNROLL
    for (int i = 0; i < kLimbs; ++i) {
      PROVER_UNROLL
      for (int j = i + 1; j < kLimbs; ++j) {
        t.c[i + j] = low(t.c[i + j], a.l[i], a.l[j]);
        t.c[i + j + 1] = high(t.c[i + j + 1], a.l[i], a.l[j]);
      }
    }
  }
  PROVER_IFMA_INLINE static void twice(Wide& t) {
    PROVER_UNROLL
    for (int i = 0; i < 2 * kLimbs; ++i) t.c[i] = _mm512_add_epi64(t.c[i], t.c[i]);
  }
  PROVER_IFMA_INLINE static void accumulate_pure(Wide& t, const Element& a) {
    PROVER_UNROLL
    for (int i = 0; i < kLimbs; ++i) {
      t.c[2 * i] = low(t.c[2 * i], a.l[i], a.l[i]);
      t.c[2 * i + 1] = high(t.c[2 * i + 1], a.l[i], a.l[i]);
    }
  }
  PROVER_IFMA_INLINE static Wide square(const Element& a) {
    Wide t = zero_wide();
    accumulate_mixed(t, a);
    twice(t);
    accumulate_pure(t, a);
    return t;
  }
  // a a + b b
  PROVER_IFMA_INLINE static Wide squares(const Element& a, const Element& b) {
    Wide t = zero_wide();
    accumulate_mixed(t, a);
    accumulate_mixed(t, b);
    twice(t);
    accumulate_pure(t, a);
    accumulate_pure(t, b);
    return t;
  }
  // t / 2^(52 L): for t in [0, T p^2) below (1 + kExcess / 8 + T p / 2^(52 L)) p. Columns may be
  // negative.
  PROVER_IFMA_INLINE static Element reduce(Wide& t) {
    PROVER_UNROLL
    for (int i = 0; i + 1 < kLimbs; ++i) {
      const __m512i m = t.c[i];  // its low 52 bits count
      t.c[i + 1] = _mm512_add_epi64(t.c[i + 1], _mm512_srai_epi64(m, 52));
      PROVER_UNROLL
      for (int j = 0; j < kLimbs; ++j) {
        const __m512i q = all(kQuotient.l[j]);
        t.c[i + j + 1] = low(t.c[i + j + 1], m, q);
        t.c[i + j + 2] = high(t.c[i + j + 2], m, q);
      }
    }
    constexpr int k = kLimbs - 1;
    const __m512i m = low(_mm512_setzero_si512(), t.c[k], all(kInverse));
    // The low half of m p[0] cancels what is left below: all it does is carry, unless there is
    // nothing.
    t.c[k + 1] =
        _mm512_add_epi64(t.c[k + 1], _mm512_srai_epi64(_mm512_add_epi64(t.c[k], all(kMask)), 52));
    PROVER_UNROLL
    for (int j = 0; j < kLimbs; ++j) {
      const __m512i p = all(kModulus.l[j]);
      if (j != 0) t.c[k + j] = low(t.c[k + j], m, p);
      t.c[k + j + 1] = high(t.c[k + j + 1], m, p);
    }
    Element sum;
    PROVER_UNROLL
    for (int i = 0; i < kLimbs; ++i) sum.l[i] = t.c[kLimbs + i];
    return carried(sum);
  }
  // a b / 2^(52 L), below (1 + kExcess / 8 + A B p / 2^(52 L)) p for a < A p, b < B p.
  PROVER_IFMA_INLINE static Element mul(const Element& a, const Element& b) {
    Wide t = product(a, b);
    return reduce(t);
  }
  PROVER_IFMA_INLINE static Element sqr(const Element& a) {
    Wide t = square(a);
    return reduce(t);
  }

 private:
  using Wide128 = field::Wide;
};

}  // namespace prover::field

#endif
