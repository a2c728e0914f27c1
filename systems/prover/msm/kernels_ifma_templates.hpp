// SPDX-License-Identifier: Apache-2.0
// What kernels_ifma.hpp declares, for the files that instantiate it: one a curve, so that they
// compile side by side.
#pragma once

#include "prover/msm/add_pairs_ifma.hpp"
#include "prover/msm/kernels_ifma.hpp"
#include "prover/msm/on_curve_ifma.hpp"

#if defined(__x86_64__)

namespace prover::msm {
// Two coordinates of memory, of which the first is the curve's b: a row to load it from.
template <class Group>
struct RowOfB {
  using F = typename Group::Coordinate;
  std::byte bytes[2 * F::kBytes] = {};
  RowOfB() { Group::b().store(bytes); }
};

template <class Group>
void add_pairs_ifma(Operands left, Operands right, std::byte* out, const std::uint32_t* to,
                    std::size_t count) {
  VectorAdder<Group>::add_pairs(left, right, out, to, count);
}

template <class Group>
std::size_t first_off_curve_ifma(const std::byte* points, std::size_t count) {
  using F = typename Group::Coordinate;
  using Base = typename field::VectorCoordinate<F>::Base;
  static const RowOfB<Group> b;
  return VectorCurve<Base, F::kBytes / (8 * Base::kWords)>::first_off_curve(points, count, b.bytes);
}

}  // namespace prover::msm

#endif
