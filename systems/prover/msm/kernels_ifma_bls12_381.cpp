// SPDX-License-Identifier: Apache-2.0
#include "prover/msm/add_pairs_ifma.hpp"
#include "prover/msm/on_curve_ifma.hpp"

#if defined(__x86_64__)

#include "prover/msm/kernels_ifma.hpp"

namespace prover::msm {
namespace {

// Two coordinates of memory, of which the first is the curve's b: a row to load it from.
template <class Group>
struct RowOfB {
  using F = typename Group::Coordinate;
  std::byte bytes[2 * F::kBytes] = {};
  RowOfB() { Group::b().store(bytes); }
};

}  // namespace

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

template void add_pairs_ifma<curve::Bls12_381::G1>(Operands, Operands, std::byte*,
                                                   const std::uint32_t*, std::size_t);
template void add_pairs_ifma<curve::Bls12_381::G2>(Operands, Operands, std::byte*,
                                                   const std::uint32_t*, std::size_t);
template std::size_t first_off_curve_ifma<curve::Bls12_381::G1>(const std::byte*, std::size_t);
template std::size_t first_off_curve_ifma<curve::Bls12_381::G2>(const std::byte*, std::size_t);

}  // namespace prover::msm

#endif
