// SPDX-License-Identifier: Apache-2.0
// A Groth16 proof and what verifies it, as points of a curve C (curve::Bn254, curve::Bls12_381).
// Ref: Groth, On the size of pairing-based non-interactive arguments (2016), section 3.2.
#pragma once

#include <vector>

#include "prover/base/result.hpp"
#include "prover/curve/groups.hpp"
#include "prover/files/json.hpp"
#include "prover/files/zkey.hpp"

namespace prover::groth16 {

template <class C>
using G1Point = curve::Affine<typename C::Fq>;
template <class C>
using G2Point = curve::Affine<typename C::Fq2>;

template <class C>
struct Proof {
  G1Point<C> a;
  G2Point<C> b;
  G1Point<C> c;
  bool operator==(const Proof&) const = default;
};

template <class C>
struct VerifyingKey {
  G1Point<C> alpha1;
  G2Point<C> beta2, gamma2, delta2;
  std::vector<G1Point<C>> ic;  // one for the constant 1, then one for each public value
};

// As they stand in a key; they may be on no curve. key.curve is C's.
template <class C>
VerifyingKey<C> verifying_key(const files::Zkey& key);

// From and to what JSON files hold. Values that were read are below their primes; points may be on
// no curve. The curves must be C's.
template <class C>
Proof<C> from_text(const files::ProofText& text);
template <class C>
files::ProofText to_text(const Proof<C>& proof);
template <class C>
VerifyingKey<C> from_text(const files::VerificationKeyText& text);
// Without e(alpha, beta).
template <class C>
files::VerificationKeyText to_text(const VerifyingKey<C>& key);

}  // namespace prover::groth16
