// SPDX-License-Identifier: Apache-2.0
// add_pairs one element at a time, for fields of any kind: the reference, and what runs where there
// is no AVX-512 IFMA. Batches of kBatch pairs share one inversion: 3 multiplications a pair and
// about a microsecond a batch.
#pragma once

#include <algorithm>

#include "prover/msm/kernels.hpp"

namespace prover::msm {

template <class F>
curve::Affine<F> load_operand(const Operands& from, std::size_t i) {
  using Point = curve::Affine<F>;
  if (from.index == nullptr) return Point::load(from.points + i * Point::kBytes);
  const std::uint32_t index = from.index[i];
  const Point point = Point::load(from.points + (index & ~kNegate) * Point::kBytes);
  return {point.x, point.y.negated_if((index & kNegate) != 0)};
}

// Operands lie anywhere in a table larger than the caches.
template <class F>
void prefetch_operand(const Operands& from, std::size_t i) {
  const std::size_t index = from.index == nullptr ? i : from.index[i] & ~kNegate;
  const std::byte* const point = from.points + index * curve::Affine<F>::kBytes;
  for (std::size_t line = 0; line < curve::Affine<F>::kBytes; line += 64)
    __builtin_prefetch(point + line);
}

enum class PairKind : std::uint8_t { sum, twice, first, second, infinity };

// What the denominator of the slope is, and which case the pair is. 1 where there is no slope.
template <class F>
PairKind classify(const curve::Affine<F>& a, const curve::Affine<F>& b, F& denominator) {
  denominator = F::one();
  if (a.is_infinity()) return PairKind::second;
  if (b.is_infinity()) return PairKind::first;
  const F dx = b.x - a.x;
  if (!dx.is_zero()) {
    denominator = dx;
    return PairKind::sum;
  }
  const F sum = a.y + b.y;
  if (a.y != b.y || sum.is_zero()) return PairKind::infinity;
  denominator = sum;
  return PairKind::twice;
}

// `inverse` is 1 / denominator.
template <class F>
curve::Affine<F> add_with_slope(PairKind kind, const curve::Affine<F>& a, const curve::Affine<F>& b,
                                const F& inverse) {
  switch (kind) {
    case PairKind::first:
      return a;
    case PairKind::second:
      return b;
    case PairKind::infinity:
      return {};
    case PairKind::sum:
    case PairKind::twice:
      break;
  }
  F rise = b.y - a.y;
  if (kind == PairKind::twice) {
    const F square = a.x.squared();
    rise = square.doubled() + square;
  }
  const F slope = rise * inverse;
  const F x = slope.squared() - a.x - b.x;
  return {x, slope * (a.x - x) - a.y};
}

template <class F>
PROVER_FLATTEN void add_pairs_one_by_one(Operands left, Operands right, std::byte* out,
                                         const std::uint32_t* to, std::size_t count) {
  constexpr std::size_t kBatch = 512, kAhead = 16;
  F denominators[kBatch], products[kBatch];  // products[i]: of the denominators behind the i-th
  PairKind kinds[kBatch];
  for (std::size_t begin = 0; begin < count; begin += kBatch) {
    const std::size_t size = std::min(kBatch, count - begin);
    F product = F::one();
    for (std::size_t i = size; i-- > 0;) {
      if (i >= kAhead) {
        prefetch_operand<F>(left, begin + i - kAhead);
        prefetch_operand<F>(right, begin + i - kAhead);
      }
      kinds[i] = classify(load_operand<F>(left, begin + i), load_operand<F>(right, begin + i),
                          denominators[i]);
      products[i] = product;
      product *= denominators[i];
    }
    F inverse = product.inverse();
    // Forwards, so that an output may lie where an earlier pair was.
    for (std::size_t i = 0; i < size; ++i) {
      const auto sum = add_with_slope(kinds[i], load_operand<F>(left, begin + i),
                                      load_operand<F>(right, begin + i), inverse * products[i]);
      inverse *= denominators[i];
      const std::size_t slot = to == nullptr ? begin + i : to[begin + i];
      sum.store(out + slot * curve::Affine<F>::kBytes);
    }
  }
}

}  // namespace prover::msm
