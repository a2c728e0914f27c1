// SPDX-License-Identifier: Apache-2.0
// The four prime fields.
#pragma once

#include "prover/field/curve_id.hpp"
#include "prover/field/field.hpp"

namespace prover::field {

struct Bn254FqParams {
  static constexpr std::size_t kLimbs = 4;
  static constexpr Limbs<4> kModulus = kBn254Q;
};
struct Bn254FrParams {
  static constexpr std::size_t kLimbs = 4;
  static constexpr Limbs<4> kModulus = kBn254R;
  // r - 1 = 2^28 odd
  static constexpr unsigned kTwoAdicity = 28;
  static constexpr std::uint64_t kNonSquare = 5;  // the smallest, as snarkjs takes it
};
struct Bls12_381FqParams {
  static constexpr std::size_t kLimbs = 6;
  static constexpr Limbs<6> kModulus = kBls12_381Q;
};
struct Bls12_381FrParams {
  static constexpr std::size_t kLimbs = 4;
  static constexpr Limbs<4> kModulus = kBls12_381R;
  static constexpr unsigned kTwoAdicity = 32;
  static constexpr std::uint64_t kNonSquare = 5;
};

using Bn254Fq = Field<Bn254FqParams>;
using Bn254Fr = Field<Bn254FrParams>;
using Bls12_381Fq = Field<Bls12_381FqParams>;
using Bls12_381Fr = Field<Bls12_381FrParams>;

// A primitive 2^kTwoAdicity-th root of unity of a field of scalars: the smallest non-square to the
// odd part of r - 1. Keys depend on this choice; it is that of snarkjs.
template <class Fr>
constexpr Fr root_of_unity() {
  auto odd = Fr::kModulus;
  odd[0] -= 1;
  odd = shift_right(odd, Fr::Params::kTwoAdicity);
  return Fr::from_word(Fr::Params::kNonSquare).pow(odd);
}

// A primitive 2^log_size-th root of unity; log_size <= kTwoAdicity.
template <class Fr>
constexpr Fr root_of_unity(unsigned log_size) {
  Fr root = root_of_unity<Fr>();
  for (unsigned i = Fr::Params::kTwoAdicity; i > log_size; --i) root = root.squared();
  return root;
}

}  // namespace prover::field
