// SPDX-License-Identifier: Apache-2.0
// Layers of a transform on vectors of eight elements in limbs of 52 bits (field/ifma.hpp). Elements
// stay in this form, and unreduced, from the first layer of a tile to its last.
//
// How far they go, in units of p, for the worse of the two fields (BLS12-381: 2^260 is 35.3 p):
// a twiddle is below 1.001, so a product with anything below 35 is below 3. Descending, a layer
// adds 3: 11 layers lead from 1 to 34. Ascending, kAscending = 6 is what layers take and leave;
// only the sum of sums, below 24, must be reduced.
#pragma once

#include "prover/field/ifma_rows.hpp"
#include "prover/ntt/kernels.hpp"

#if defined(__x86_64__)

namespace prover::ntt {

template <class P>
struct IfmaLayers : field::VectorField<P> {
  using V = field::VectorField<P>;
  using Element = typename V::Element;
  using Words = typename V::Words;
  static constexpr int L = V::kLimbs;
  static_assert(V::kWords == 4 && L == 5);

  using Constant = typename V::Constant;
  static constexpr Constant times_p(std::uint64_t factor) {
    Constant multiple{};
    field::Wide carry = 0;
    for (int i = 0; i < L; ++i) {
      carry += static_cast<field::Wide>(factor) * V::kModulus.l[i];
      multiple.l[i] = static_cast<std::uint64_t>(carry) & V::kMask;
      carry >>= 52;
    }
    return multiple;
  }
  // 2^260 - p
  static constexpr Constant minus_p() {
    Constant minus{};
    std::uint64_t carry = 1;
    for (int i = 0; i < L; ++i) {
      carry += ~V::kModulus.l[i] & V::kMask;
      minus.l[i] = carry & V::kMask;
      carry >>= 52;
    }
    return minus;
  }
  static constexpr std::uint64_t kProduct = 3, kAscending = 6;
  // 2^92 / (top limb of p + 1), rounded down
  static constexpr std::uint64_t kTopInverse =
      static_cast<std::uint64_t>((static_cast<field::Wide>(1) << 92) / (V::kModulus.l[L - 1] + 1));
  static_assert(kTopInverse <= V::kMask);

  // Carried, any, to below 1.001 p, carried: a - k p, where k = a / p, from the top limbs alone.
  PROVER_IFMA_INLINE static Element nearly_reduced(const Element& a) {
    constexpr Constant minus = minus_p();
    const __m512i k =
        _mm512_srli_epi64(V::high(_mm512_setzero_si512(), a.l[L - 1], V::all(kTopInverse)), 40);
    Element b = a;
    PROVER_UNROLL
    for (int i = 0; i < L; ++i) {
      b.l[i] = V::low(b.l[i], k, V::all(minus.l[i]));
      if (i + 1 < L) b.l[i + 1] = V::high(b.l[i + 1], k, V::all(minus.l[i]));
    }
    b = V::carried(b);
    b.l[L - 1] = _mm512_and_si512(b.l[L - 1], V::all(V::kMask));
    return b;
  }
  // Raw, any, to [0, p).
  PROVER_IFMA_INLINE static Element reduced(const Element& a) {
    const Element b = V::sub(nearly_reduced(V::carried(a)), V::broadcast(V::kModulus));
    return V::carried(V::add_where(V::is_negative(b), b, V::kModulus));
  }

  // A twiddle in the form in which V::mul keeps that of its other factor.
  PROVER_IFMA_INLINE static Element prepared(const Words& twiddle) {
    return nearly_reduced(V::template unpack<V::kShift>(twiddle));
  }
  PROVER_IFMA_INLINE static Element broadcast_twiddle(const std::byte* twiddle) {
    Words w;
    PROVER_UNROLL
    for (std::size_t i = 0; i < 4; ++i) {
      std::uint64_t word;
      __builtin_memcpy(&word, twiddle + 8 * i, sizeof word);
      w.w[i] = V::all(word);
    }
    return prepared(w);
  }
  // The twiddles of a sub-block in every lane: number `block` in lane 0, and `step` further in each
  // next; all the same where step is 0.
  struct Twiddles {
    const std::byte* table;
    std::size_t block, step;
    PROVER_IFMA_INLINE Twiddles below(unsigned layers, std::size_t child) const {
      return {table, (block << layers) + child, step << layers};
    }
    PROVER_IFMA_INLINE Element get() const {
      const std::byte* first = table + block * kElementBytes;
      if (step == 0) return broadcast_twiddle(first);
      Words w;
      field::load_rows<4>(field::rows_together(first, step * kElementBytes), 0, w.w);
      return prepared(w);
    }
  };

  // a - b + Multiple p, raw.
  template <std::uint64_t Multiple>
  PROVER_IFMA_INLINE static Element difference(const Element& a, const Element& b) {
    constexpr Constant multiple = times_p(Multiple);
    return V::sub(V::add(a, V::broadcast(multiple)), b);
  }
  // Raw in, raw out.
  PROVER_IFMA_INLINE static void descend(Element& x, Element& y, const Element& t) {
    const Element product = V::mul(V::carried(y), t);
    y = difference<kProduct>(x, product);
    x = V::add(x, product);
  }
  // x and y below Bound p; x + y comes out raw.
  template <std::uint64_t Bound>
  PROVER_IFMA_INLINE static void ascend(Element& x, Element& y, const Element& t) {
    const Element rise = V::carried(difference<Bound>(x, y));
    x = V::add(x, y);
    y = V::mul(rise, t);
  }

  // `layers` of them on `size` vectors, depth first.
  PROVER_TARGET_IFMA static void descend_all(Element* v, std::size_t size, unsigned layers,
                                             const Twiddles& t) {
    if (layers == 0) return;
    const Element t0 = t.get();
    if (layers == 1) {
      for (std::size_t i = 0; i < size / 2; ++i) descend(v[i], v[i + size / 2], t0);
      return;
    }
    const Element t1 = t.below(1, 0).get(), t2 = t.below(1, 1).get();
    const std::size_t quarter = size / 4;
    for (std::size_t i = 0; i < quarter; ++i) {
      Element a = v[i], b = v[i + quarter], c = v[i + 2 * quarter], d = v[i + 3 * quarter];
      descend(a, c, t0);
      descend(b, d, t0);
      descend(a, b, t1);
      descend(c, d, t2);
      v[i] = a;
      v[i + quarter] = b;
      v[i + 2 * quarter] = c;
      v[i + 3 * quarter] = d;
    }
    for (std::size_t child = 0; child < 4; ++child)
      descend_all(v + child * quarter, quarter, layers - 2, t.below(2, child));
  }
  PROVER_TARGET_IFMA static void ascend_all(Element* v, std::size_t size, unsigned layers,
                                            const Twiddles& t) {
    if (layers == 0) return;
    if (layers == 1) {
      const Element t0 = t.get();
      for (std::size_t i = 0; i < size / 2; ++i) {
        Element x = v[i], y = v[i + size / 2];
        ascend<kAscending>(x, y, t0);
        v[i] = nearly_reduced(V::carried(x));
        v[i + size / 2] = y;
      }
      return;
    }
    const std::size_t quarter = size / 4;
    for (std::size_t child = 0; child < 4; ++child)
      ascend_all(v + child * quarter, quarter, layers - 2, t.below(2, child));
    const Element t0 = t.get(), t1 = t.below(1, 0).get(), t2 = t.below(1, 1).get();
    for (std::size_t i = 0; i < quarter; ++i) {
      Element a = v[i], b = v[i + quarter], c = v[i + 2 * quarter], d = v[i + 3 * quarter];
      ascend<kAscending>(a, b, t1);
      ascend<kAscending>(c, d, t2);
      ascend<2 * kAscending>(a, c, t0);
      ascend<kProduct>(b, d, t0);
      v[i] = nearly_reduced(V::carried(a));
      v[i + quarter] = b;
      v[i + 2 * quarter] = c;
      v[i + 3 * quarter] = d;
    }
  }

  // Three layers across eight vectors; t: twiddles of layers 0, 1 and 2, one behind the other.
  PROVER_IFMA_INLINE static void descend_eight(Element (&v)[8], const Element (&t)[7]) {
    PROVER_UNROLL
    for (int i = 0; i < 4; ++i) descend(v[i], v[i + 4], t[0]);
    PROVER_UNROLL
    for (int i = 0; i < 8; ++i)
      if ((i & 2) == 0) descend(v[i], v[i + 2], t[1 + i / 4]);
    PROVER_UNROLL
    for (int i = 0; i < 8; i += 2) descend(v[i], v[i + 1], t[3 + i / 2]);
  }
  PROVER_IFMA_INLINE static void ascend_eight(Element (&v)[8], const Element (&t)[7]) {
    PROVER_UNROLL
    for (int i = 0; i < 8; i += 2) ascend<kAscending>(v[i], v[i + 1], t[3 + i / 2]);
    PROVER_UNROLL
    for (int i = 0; i < 8; ++i)
      if ((i & 2) == 0) {
        if (i % 4 == 0)
          ascend<2 * kAscending>(v[i], v[i + 2], t[1 + i / 4]);
        else
          ascend<kProduct>(v[i], v[i + 2], t[1 + i / 4]);
      }
    for (int i = 0; i < 8; i += 4) v[i] = nearly_reduced(V::carried(v[i]));
    PROVER_UNROLL
    for (int i = 0; i < 4; ++i) ascend<kAscending>(v[i], v[i + 4], t[0]);
  }
  PROVER_IFMA_INLINE static void twiddles_of_eight(const std::byte* table, std::size_t block,
                                                   Element (&t)[7]) {
    for (unsigned layer = 0; layer < 3; ++layer)
      for (std::size_t i = 0; i < std::size_t{1} << layer; ++i)
        t[(std::size_t{1} << layer) - 1 + i] =
            broadcast_twiddle(table + ((block << layer) + i) * kElementBytes);
  }
  // Vector i's lane k becomes vector k's lane i.
  PROVER_IFMA_INLINE static void transpose(Element (&v)[8]) {
    PROVER_UNROLL
    for (int l = 0; l < L; ++l) {
      __m512i r[8];
      PROVER_UNROLL
      for (int i = 0; i < 8; ++i) r[i] = v[i].l[l];
      field::transpose(r);
      PROVER_UNROLL
      for (int i = 0; i < 8; ++i) v[i].l[l] = r[i];
    }
  }

  // Eight elements of memory, each `stride` bytes behind the one before.
  PROVER_IFMA_INLINE static Element load(const std::byte* first, std::size_t stride) {
    Words w;
    field::load_rows<4>(field::rows_together(first, stride), 0, w.w);
    return V::template unpack<0>(w);
  }
  PROVER_IFMA_INLINE static void store(const Element& a, std::byte* first, std::size_t stride) {
    field::store_rows<4>(V::pack(reduced(a)).w, field::rows_together(first, stride), 8);
  }
};

}  // namespace prover::ntt

#endif
