// SPDX-License-Identifier: Apache-2.0
// What a multi-scalar multiplication spends its time in: many independent affine additions that
// share an inversion (Montgomery's trick); and the look at points from outside before that. One of
// each per group and instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

#include "prover/curve/groups.hpp"
#include "prover/field/isa.hpp"

namespace prover::msm {

// Set in an index, it negates the point.
inline constexpr std::uint32_t kNegate = std::uint32_t{1} << 31;

// The i-th operand is the point at points + (index[i] & ~kNegate) * Affine::kBytes, negated when
// kNegate is set; without an index it is the i-th point. Points may lie at any alignment; infinity
// is all zero.
struct Operands {
  const std::byte* points = nullptr;
  const std::uint32_t* index = nullptr;
};

// out[to[i]] = left[i] + right[i] for i < count, without `to` out[i]. Complete: infinity on either
// side, equal and opposite points are right. An output may be one of its own operands, and with two
// operands from the array of the outputs the i-th output may overwrite operands of pairs <= i (so
// that neighbours can be summed in place); it must be no operand of a later pair. Coordinates below
// the modulus give coordinates below the modulus; others give anything, but no fault.
using AddPairs = void (*)(Operands left, Operands right, std::byte* out, const std::uint32_t* to,
                          std::size_t count);

// The first of `count` points that is not on the curve or has a coordinate at or above the modulus;
// `count` when there is none. Infinity is on the curve.
using FirstOffCurve = std::size_t (*)(const std::byte* points, std::size_t count);

struct Kernels {
  AddPairs add_pairs;
  FirstOffCurve first_off_curve;
};

// Group: Bn254::G1, Bn254::G2, Bls12_381::G1, Bls12_381::G2. `isa` <= best_isa().
template <class Group>
Kernels kernels(field::Isa isa);

template <>
Kernels kernels<curve::Bn254::G1>(field::Isa isa);
template <>
Kernels kernels<curve::Bn254::G2>(field::Isa isa);
template <>
Kernels kernels<curve::Bls12_381::G1>(field::Isa isa);
template <>
Kernels kernels<curve::Bls12_381::G2>(field::Isa isa);

template <class Group>
AddPairs add_pairs(field::Isa isa) {
  return kernels<Group>(isa).add_pairs;
}

}  // namespace prover::msm
