// SPDX-License-Identifier: Apache-2.0
#include "prover/msm/kernels.hpp"

#include "prover/msm/add_pairs.hpp"

#if defined(__x86_64__)
#include "prover/field/mul_x86_64.hpp"
#endif
#if __has_include("prover/msm/kernels_ifma.hpp")
#include "prover/msm/kernels_ifma.hpp"
#else
namespace prover::msm {
constexpr AddPairs add_pairs_ifma_bn254_g1 = add_pairs_one_by_one<curve::Bn254::Fq>,
                   add_pairs_ifma_bn254_g2 = add_pairs_one_by_one<curve::Bn254::Fq2>;
constexpr AddPairs add_pairs_ifma_bls12_381_g1 = add_pairs_one_by_one<curve::Bls12_381::Fq>,
                   add_pairs_ifma_bls12_381_g2 = add_pairs_one_by_one<curve::Bls12_381::Fq2>;
}  // namespace prover::msm
#endif

namespace prover::msm {
namespace {

using field::Isa;

template <class Portable, class Adx>
AddPairs choose(Isa isa, AddPairs ifma) {
#if defined(__x86_64__)
  if (isa == Isa::ifma) return ifma;
  if (isa == Isa::adx) return add_pairs_one_by_one<typename Adx::Coordinate>;
#endif
  return add_pairs_one_by_one<typename Portable::Coordinate>;
}

#if defined(__x86_64__)
using Bn254Adx = curve::Bn254With<field::AdxMul>;
using Bls12_381Adx = curve::Bls12_381With<field::AdxMul>;
#else
using Bn254Adx = curve::Bn254;
using Bls12_381Adx = curve::Bls12_381;
constexpr AddPairs add_pairs_ifma_bn254_g1 = nullptr, add_pairs_ifma_bn254_g2 = nullptr;
constexpr AddPairs add_pairs_ifma_bls12_381_g1 = nullptr, add_pairs_ifma_bls12_381_g2 = nullptr;
#endif

}  // namespace

template <>
AddPairs add_pairs<curve::Bn254::G1>(Isa isa) {
  return choose<curve::Bn254::G1, Bn254Adx::G1>(isa, add_pairs_ifma_bn254_g1);
}
template <>
AddPairs add_pairs<curve::Bn254::G2>(Isa isa) {
  return choose<curve::Bn254::G2, Bn254Adx::G2>(isa, add_pairs_ifma_bn254_g2);
}
template <>
AddPairs add_pairs<curve::Bls12_381::G1>(Isa isa) {
  return choose<curve::Bls12_381::G1, Bls12_381Adx::G1>(isa, add_pairs_ifma_bls12_381_g1);
}
template <>
AddPairs add_pairs<curve::Bls12_381::G2>(Isa isa) {
  return choose<curve::Bls12_381::G2, Bls12_381Adx::G2>(isa, add_pairs_ifma_bls12_381_g2);
}

}  // namespace prover::msm
