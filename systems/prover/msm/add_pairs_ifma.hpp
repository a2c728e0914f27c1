// SPDX-License-Identifier: Apache-2.0
// add_pairs eight pairs at a time. A batch shares one inversion by Montgomery's trick: the first
// pass goes from its last pair to the first and multiplies denominators (their norms, in G2) in
// kChains chains of eight lanes; the second goes forwards, so that outputs may lie where earlier
// pairs were, and divides. It takes kBlock vectors through every step before the next step: so
// consecutive products do not wait for each other.
//
// A pair without slope has denominator 1, and a doubling 2 y; both are put in by masks, in
// functions that run for a vector only where it has such a lane.
#pragma once

#include "prover/field/ifma_coordinate.hpp"
#include "prover/field/ifma_rows.hpp"
#include "prover/field/inverse.hpp"
#include "prover/msm/kernels.hpp"

#if defined(__x86_64__)

namespace prover::msm {

// 1 / a of integers modulo p, in baseline code.
template <class P>
__attribute__((noinline)) void invert_integer(std::uint64_t* a) {
  field::Limbs<P::kLimbs> limbs;
  for (std::size_t i = 0; i < P::kLimbs; ++i) limbs[i] = a[i];
  limbs = field::modular_inverse<P::kLimbs>(limbs, P::kModulus);
  for (std::size_t i = 0; i < P::kLimbs; ++i) a[i] = limbs[i];
}

template <class Group>
class VectorAdder {
  using F = typename Group::Coordinate;
  using Coordinate = field::VectorCoordinate<F>;
  using Base = typename Coordinate::Base;
  using Words = typename Coordinate::Words;
  using Element = typename Coordinate::Element;
  using Number = typename Base::Element;
  static constexpr int kWords = Coordinate::kWords;
  static constexpr int kShift = Base::kShift, kHalf = Base::kHalf;
  static constexpr std::size_t kPointBytes = curve::Affine<F>::kBytes;
  static constexpr bool kIsPrime = kWords == Base::kWords;

  // Then all that goes into Coordinate::canonical lies in [-2 p, 2 p).
  static_assert(Base::kExcess <= 4);

  static constexpr std::size_t kChains = 2;
  // Measured on Zen 5: 1 costs 5 to 15 %, and 30 % and more in G2 of BLS12-381; 4 and 16 are within
  // the noise of 8.
  static constexpr std::size_t kBlock = 8;
  // Vectors of a batch: what one keeps in the level-2 cache, and on the stack. Half as many cost
  // 5 to 10 %.
  static constexpr std::size_t kVectors = kIsPrime ? 128 : 64;
  // How many vectors ahead gathered points are asked for. 2 to 8 do as well; asking again before
  // the second pass gains nothing.
  static constexpr std::size_t kAhead = 4;

  // Eight pairs. Lanes behind the last pair repeat it.
  struct Lanes {
    field::Rows left, right;
    __mmask8 negate_left, negate_right;
  };
  struct Pairs {
    Words x1, y1, x2, y2;
  };
  // Where a sum has no slope of its own.
  struct Kinds {
    __mmask8 twice, infinity, first, second;
    PROVER_IFMA_INLINE __mmask8 any() const {
      return static_cast<__mmask8>(twice | infinity | first | second);
    }
    PROVER_IFMA_INLINE __mmask8 trivial() const {
      return static_cast<__mmask8>(infinity | first | second);
    }
  };
  // Of one vector, between the passes: the product of the norms behind it in its chain.
  struct Kept {
    Number product, norm;
  };
  struct KeptWithDenominator {
    Number product, norm;
    Element denominator;
  };
  using Scratch = std::conditional_t<kIsPrime, Kept, KeptWithDenominator>;
  // Of one vector, between the steps of the second pass.
  struct Step {
    Element rise;    // y2 - y1 or its like, 2^kHalf; then the slope; then, raw, what y3 is modulo p
    Element run;     // x1 - x3, 2^kHalf
    Number inverse;  // of the norm of the denominator, 2^kShift
    Element x;       // raw: x1 + x2; then what x3 is modulo p
    Element y1;      // raw
    Words x1, x3;
  };

 public:
  PROVER_TARGET_IFMA static void add_pairs(Operands left, Operands right, std::byte* out,
                                           const std::uint32_t* to, std::size_t count) {
    for (std::size_t begin = 0; begin < count; begin += 8 * kVectors) {
      const std::size_t size = count - begin < 8 * kVectors ? count - begin : 8 * kVectors;
      add_batch(advanced(left, begin), advanced(right, begin),
                to == nullptr ? out + begin * kPointBytes : out,
                to == nullptr ? nullptr : to + begin, size);
    }
  }

 private:
  PROVER_IFMA_INLINE static Operands advanced(Operands from, std::size_t by) {
    if (from.index == nullptr) return {from.points + by * kPointBytes, nullptr};
    return {from.points, from.index + by};
  }

  PROVER_TARGET_IFMA __attribute__((noinline)) static void add_batch(Operands left, Operands right,
                                                                     std::byte* out,
                                                                     const std::uint32_t* to,
                                                                     std::size_t count) {
    Scratch scratch[kVectors];
    __mmask8 special[kVectors];
    Number chains[kChains];
    multiply_denominators(left, right, count, scratch, special, chains);
    invert(chains);
    const std::size_t vectors = (count + 7) / 8;
    for (std::size_t v = 0; v < vectors; v += kBlock)
      add_block(left, right, out, to, count, v, vectors - v < kBlock ? vectors : v + kBlock,
                scratch, special, chains);
  }

  // The rows of pairs 8 v .. 8 v + 7 of an operand.
  PROVER_IFMA_INLINE static field::Rows rows(const Operands& from, std::size_t v, std::size_t count,
                                             __mmask8& negate) {
    field::Rows rows;
    negate = 0;
    const std::size_t first = 8 * v;
    if (from.index == nullptr) {
      for (std::size_t i = 0; i < 8; ++i)
        rows.at[i] = from.points + (first + i < count ? first + i : count - 1) * kPointBytes;
      return rows;
    }
    std::uint32_t tail[8];
    const std::uint32_t* index = from.index + first;
    if (first + 8 > count) {
      for (std::size_t i = 0; i < 8; ++i)
        tail[i] = from.index[first + i < count ? first + i : count - 1];
      index = tail;
    }
    const __m256i eight = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(index));
    negate = _mm256_movepi32_mask(eight);
    const __m512i number = _mm512_cvtepu32_epi64(
        _mm256_and_si256(eight, _mm256_set1_epi32(static_cast<int>(~kNegate))));
    const auto base = reinterpret_cast<std::uintptr_t>(from.points);
    _mm512_storeu_si512(rows.at, _mm512_add_epi64(_mm512_mul_epu32(number, Base::all(kPointBytes)),
                                                  Base::all(base)));
    return rows;
  }
  PROVER_IFMA_INLINE static Lanes lanes(const Operands& left, const Operands& right, std::size_t v,
                                        std::size_t count) {
    Lanes lanes;
    lanes.left = rows(left, v, count, lanes.negate_left);
    lanes.right = rows(right, v, count, lanes.negate_right);
    return lanes;
  }
  PROVER_IFMA_INLINE static Words load_x(const field::Rows& rows) {
    __m512i columns[kWords];
    field::load_rows<kWords>(rows, 0, columns);
    return Coordinate::from_columns(columns);
  }
  PROVER_IFMA_INLINE static void load_point(const field::Rows& rows, Words& x, Words& y) {
    __m512i columns[2 * kWords];
    field::load_rows<2 * kWords>(rows, 0, columns);
    x = Coordinate::from_columns(columns);
    y = Coordinate::from_columns(columns + kWords);
  }
  PROVER_IFMA_INLINE static void prefetch(const Operands& from, std::size_t v) {
    if (from.index == nullptr) return;  // the processor sees that coming
    for (std::size_t i = 0; i < 8; ++i) {
      const std::byte* point =
          from.points + std::size_t{from.index[8 * v + i] & ~kNegate} * kPointBytes;
      for (std::size_t at = 0; at < kPointBytes; at += 64) _mm_prefetch(point + at, _MM_HINT_T0);
      _mm_prefetch(point + kPointBytes - 1, _MM_HINT_T0);
    }
  }

  PROVER_IFMA_INLINE static void multiply_denominators(const Operands& left, const Operands& right,
                                                       std::size_t count, Scratch* scratch,
                                                       __mmask8* special, Number* chains) {
    constexpr auto one =
        Base::constant(field::power_of_two(Base::Params::kModulus, 52 * Base::kLimbs));
    for (std::size_t c = 0; c < kChains; ++c) chains[c] = Base::broadcast(one);
    for (std::size_t v = (count + 7) / 8; v-- > 0;) {
      if (v >= kAhead) {
        prefetch(left, v - kAhead);
        prefetch(right, v - kAhead);
      }
      const Lanes at = lanes(left, right, v, count);
      const Words x1 = load_x(at.left), x2 = load_x(at.right);
      Element denominator = Coordinate::template lifted<kShift>(Coordinate::sub(
          Coordinate::template unpack<kShift>(x2), Coordinate::template unpack<kShift>(x1)));
      special[v] = static_cast<__mmask8>(Coordinate::is_zero(x1) | Coordinate::is_zero(x2) |
                                         Coordinate::is_equal(x1, x2));
      if (special[v] != 0) [[unlikely]]
        special[v] = mend_denominator(at, denominator);
      Number& chain = chains[v % kChains];
      scratch[v].product = chain;
      scratch[v].norm = Coordinate::norm(denominator);
      if constexpr (!kIsPrime) scratch[v].denominator = denominator;
      chain = Base::mul(chain, scratch[v].norm);
    }
  }

  PROVER_IFMA_INLINE static Pairs load(const Lanes& at) {
    Pairs pairs;
    load_point(at.left, pairs.x1, pairs.y1);
    load_point(at.right, pairs.x2, pairs.y2);
    return pairs;
  }
  PROVER_IFMA_INLINE static Kinds kinds(const Lanes& at, const Pairs& p) {
    const unsigned first_infinite = Coordinate::is_zero(p.x1) & Coordinate::is_zero(p.y1);
    const unsigned second_infinite = Coordinate::is_zero(p.x2) & Coordinate::is_zero(p.y2);
    const unsigned meet = Coordinate::is_equal(p.x1, p.x2) & ~(first_infinite | second_infinite);
    const unsigned same_y =
        (Coordinate::is_equal(p.y1, p.y2) ^ at.negate_left ^ at.negate_right) & 0xffu;
    // y = 0 is on neither curve; without the last term it would spoil the whole batch.
    const unsigned twice = meet & same_y & ~Coordinate::is_zero(p.y1);
    return {static_cast<__mmask8>(twice), static_cast<__mmask8>(meet & ~twice),
            static_cast<__mmask8>(second_infinite), static_cast<__mmask8>(first_infinite)};
  }
  // -y where the index says so; infinity stays.
  template <int S>
  PROVER_IFMA_INLINE static Element signed_y(const Words& y, __mmask8 negate, __mmask8 infinite) {
    return Coordinate::template negate_where<S>(static_cast<__mmask8>(negate & ~infinite),
                                                Coordinate::template unpack<S>(y));
  }

  PROVER_TARGET_IFMA __attribute__((noinline)) static __mmask8 mend_denominator(
      const Lanes& at, Element& denominator) {
    const Pairs p = load(at);
    const Kinds kind = kinds(at, p);
    const Element y = signed_y<kShift>(p.y1, at.negate_left, kind.second);
    denominator =
        Coordinate::select(kind.twice, denominator, Coordinate::carried(Coordinate::add(y, y)));
    denominator = Coordinate::select(kind.trivial(), denominator, Coordinate::one());
    return kind.any();
  }
  PROVER_TARGET_IFMA __attribute__((noinline)) static void mend_rise(const Lanes& at,
                                                                     Element& rise) {
    const Pairs p = load(at);
    rise = Coordinate::select(kinds(at, p).twice, rise, Coordinate::triple_square(p.x1));
  }
  PROVER_TARGET_IFMA __attribute__((noinline)) static void mend_sum(const Lanes& at, Words& x3,
                                                                    Words& y3) {
    const Pairs p = load(at);
    const Kinds kind = kinds(at, p);
    x3 = blend(kind.first, x3, p.x1);
    x3 = blend(kind.second, x3, p.x2);
    const Element y1 = signed_y<0>(p.y1, at.negate_left, kind.second);
    const Element y2 = signed_y<0>(p.y2, at.negate_right, kind.first);
    y3 = blend(kind.first, y3, Coordinate::pack(Coordinate::carried(y1)));
    y3 = blend(kind.second, y3, Coordinate::pack(Coordinate::carried(y2)));
    const Words zero = Coordinate::pack(Coordinate::zero());
    x3 = blend(kind.infinity, x3, zero);
    y3 = blend(kind.infinity, y3, zero);
  }
  PROVER_IFMA_INLINE static Words blend(__mmask8 where, const Words& a, const Words& b) {
    __m512i from[kWords], with[kWords];
    Coordinate::to_columns(a, from);
    Coordinate::to_columns(b, with);
    for (int i = 0; i < kWords; ++i) from[i] = _mm512_mask_blend_epi64(where, from[i], with[i]);
    return Coordinate::from_columns(from);
  }

  // Lane l of the result is lane l ^ Distance of a.
  template <int Distance>
  PROVER_IFMA_INLINE static Number swapped(const Number& a) {
    Number b;
    PROVER_UNROLL
    for (int i = 0; i < Base::kLimbs; ++i) {
      if constexpr (Distance == 1) b.l[i] = _mm512_permutex_epi64(a.l[i], 0xb1);
      if constexpr (Distance == 2) b.l[i] = _mm512_permutex_epi64(a.l[i], 0x4e);
      if constexpr (Distance == 4) b.l[i] = _mm512_shuffle_i64x2(a.l[i], a.l[i], 0x4e);
    }
    return b;
  }

  // Every lane of every chain by its inverse; all in the form 2^kShift.
  PROVER_TARGET_IFMA __attribute__((noinline)) static void invert(Number* chains) {
    static_assert(kChains == 2);
    const Number ones = Base::mul(chains[0], chains[1]);
    const Number twos = Base::mul(ones, swapped<1>(ones));
    const Number fours = Base::mul(twos, swapped<2>(twos));
    Number all = Base::mul(fours, swapped<4>(fours));
    // The form 2^(52 L) x, as an integer: inverted it is 2^(-52 L) / x, and two factors of 2^(52 L)
    // are missing.
    std::uint64_t integer[8 * Base::kWords];
    Words64 words = Base::pack(Base::canonical(all));
    for (int i = 0; i < Base::kWords; ++i) _mm512_storeu_si512(integer + 8 * i, words.w[i]);
    std::uint64_t inverse[Base::kWords];
    for (int i = 0; i < Base::kWords; ++i) inverse[i] = integer[8 * i];
    invert_integer<typename Base::Params>(inverse);
    for (int i = 0; i < Base::kWords; ++i) words.w[i] = Base::all(inverse[i]);
    constexpr auto missing =
        Base::constant(field::power_of_two(Base::Params::kModulus, 156 * Base::kLimbs));
    all = Base::mul(Base::template unpack<0>(words), Base::broadcast(missing));
    const Number by_fours = Base::mul(all, swapped<4>(fours));
    const Number by_twos = Base::mul(by_fours, swapped<2>(twos));
    const Number by_ones = Base::mul(by_twos, swapped<1>(ones));
    const Number first = chains[0];
    chains[0] = Base::mul(by_ones, chains[1]);
    chains[1] = Base::mul(by_ones, first);
  }

  // Vectors begin .. end - 1. All their operands are read before the first sum is written.
  PROVER_TARGET_IFMA __attribute__((noinline)) static void add_block(
      const Operands& left, const Operands& right, std::byte* out, const std::uint32_t* to,
      std::size_t count, std::size_t begin, std::size_t end, const Scratch* scratch,
      const __mmask8* special, Number* chains) {
    Step steps[kBlock];
    const std::size_t size = end - begin;
    for (std::size_t i = 0; i < size; ++i) {
      const Lanes at = lanes(left, right, begin + i, count);
      read(at, steps[i]);
      if (special[begin + i] != 0) [[unlikely]]
        mend_rise(at, steps[i].rise);
    }
    for (std::size_t i = 0; i < size; ++i) {
      const Scratch& kept = scratch[begin + i];
      Number& chain = chains[(begin + i) % kChains];
      steps[i].inverse = Base::mul(chain, kept.product);
      chain = Base::mul(chain, kept.norm);
    }
    for (std::size_t i = 0; i < size; ++i) {
      if constexpr (kIsPrime)
        steps[i].rise = Base::mul(steps[i].rise, steps[i].inverse);
      else
        steps[i].rise =
            Coordinate::quotient(steps[i].rise, scratch[begin + i].denominator, steps[i].inverse);
    }
    for (std::size_t i = 0; i < size; ++i)
      steps[i].x = Coordinate::sub(Coordinate::square(steps[i].rise), steps[i].x);
    for (std::size_t i = 0; i < size; ++i) {
      Step& step = steps[i];
      step.x3 = Coordinate::pack(Coordinate::canonical(step.x));
      step.run = Coordinate::template lifted<kHalf>(
          Coordinate::sub(Coordinate::template unpack<kHalf>(step.x1),
                          Coordinate::template unpack<kHalf>(step.x3)));
    }
    for (std::size_t i = 0; i < size; ++i)
      steps[i].rise = Coordinate::sub(Coordinate::times(steps[i].rise, steps[i].run), steps[i].y1);
    for (std::size_t i = 0; i < size; ++i) {
      Words y3 = Coordinate::pack(Coordinate::canonical(steps[i].rise));
      if (special[begin + i] != 0) [[unlikely]]
        mend_sum(lanes(left, right, begin + i, count), steps[i].x3, y3);
      write(steps[i].x3, y3, out, to, begin + i, count);
    }
  }

  PROVER_IFMA_INLINE static void read(const Lanes& at, Step& step) {
    const Pairs p = load(at);
    step.x1 = p.x1;
    step.x =
        Coordinate::add(Coordinate::template unpack<0>(p.x1), Coordinate::template unpack<0>(p.x2));
    step.y1 = signed_y<0>(p.y1, at.negate_left, 0);
    step.rise = Coordinate::template lifted<kHalf>(Coordinate::sub(
        signed_y<kHalf>(p.y2, at.negate_right, 0), signed_y<kHalf>(p.y1, at.negate_left, 0)));
  }
  PROVER_IFMA_INLINE static void write(const Words& x, const Words& y, std::byte* out,
                                       const std::uint32_t* to, std::size_t v, std::size_t count) {
    __m512i columns[2 * kWords];
    Coordinate::to_columns(x, columns);
    Coordinate::to_columns(y, columns + kWords);
    const std::size_t size = count - 8 * v < 8 ? count - 8 * v : 8;
    field::RowsOut rows{};
    for (std::size_t i = 0; i < size; ++i)
      rows.at[i] = out + (to == nullptr ? 8 * v + i : std::size_t{to[8 * v + i]}) * kPointBytes;
    field::store_rows<2 * kWords>(columns, rows, size);
  }

  using Words64 = typename Base::Words;
};

}  // namespace prover::msm

#endif
