// SPDX-License-Identifier: Apache-2.0
#include "prover/msm/kernels.hpp"

#include "prover/msm/add_pairs.hpp"

#if defined(__x86_64__)
#include "prover/field/mul_x86_64.hpp"
#include "prover/msm/kernels_ifma.hpp"
#endif

namespace prover::msm {
namespace {

using field::Isa;

// One element at a time, for fields of any kind.
template <class Group>
PROVER_FLATTEN std::size_t first_off_curve(const std::byte* points, std::size_t count) {
  using Point = curve::Affine<typename Group::Coordinate>;
  const auto b = Group::b();
  for (std::size_t i = 0; i < count; ++i)
    if (!is_on_curve(Point::load(points + i * Point::kBytes), b)) return i;
  return count;
}

template <class Group>
Kernels scalar_kernels() {
  return {add_pairs_one_by_one<typename Group::Coordinate>, first_off_curve<Group>};
}

template <class Portable, class Adx>
Kernels choose(Isa isa) {
#if defined(__x86_64__)
  if (isa == Isa::ifma) return {add_pairs_ifma<Portable>, first_off_curve_ifma<Portable>};
  if (isa == Isa::adx) return scalar_kernels<Adx>();
#endif
  return scalar_kernels<Portable>();
}

#if defined(__x86_64__)
using Bn254Adx = curve::Bn254With<field::AdxMul>;
using Bls12_381Adx = curve::Bls12_381With<field::AdxMul>;
#else
using Bn254Adx = curve::Bn254;
using Bls12_381Adx = curve::Bls12_381;
#endif

}  // namespace

template <>
Kernels kernels<curve::Bn254::G1>(Isa isa) {
  return choose<curve::Bn254::G1, Bn254Adx::G1>(isa);
}
template <>
Kernels kernels<curve::Bn254::G2>(Isa isa) {
  return choose<curve::Bn254::G2, Bn254Adx::G2>(isa);
}
template <>
Kernels kernels<curve::Bls12_381::G1>(Isa isa) {
  return choose<curve::Bls12_381::G1, Bls12_381Adx::G1>(isa);
}
template <>
Kernels kernels<curve::Bls12_381::G2>(Isa isa) {
  return choose<curve::Bls12_381::G2, Bls12_381Adx::G2>(isa);
}

}  // namespace prover::msm
