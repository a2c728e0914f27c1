// SPDX-License-Identifier: Apache-2.0
// The optimal ate pairings of BN254 and BLS12-381: G1 x G2 -> the elements of order r of Fq12.
//
// The final exponent is m (q^12 - 1) / r, with m = 2 z (6 z^2 + 3 z + 1) for BN254, z its
// parameter, and m = 3 for BLS12-381: these multiples are the cheapest, and snarkjs takes the same,
// so that e(alpha, beta) is the vk_alphabeta_12 of its verification keys.
//
// Points must be on their curves and in their groups; others give some value, but no fault.
// Tried: the fields with ADX multiplication; GCC 12 loses more in moving operands to the assembly
// than that gains.
// Ref: Vercauteren, Optimal pairings (2010); Aranha, Barreto, Longa, Ricardini, The realm of the
// pairings (2013), for lines in homogeneous coordinates.
#pragma once

#include <span>
#include <vector>

#include "prover/curve/groups.hpp"
#include "prover/field/tower.hpp"

namespace prover::curve {

// The xi of the tower, and x, the parameter of the curve's family.
template <class C>
struct PairingParameters;
template <class Mul>
struct PairingParameters<Bn254With<Mul>> {
  static constexpr unsigned kXi = 9;
  static constexpr std::uint64_t kX = 0x44e992b44a6909f1;
};
template <class Mul>
struct PairingParameters<Bls12_381With<Mul>> {
  static constexpr unsigned kXi = 1;
  static constexpr std::uint64_t kX = 0xd201000000010000;  // the parameter is -kX
};

template <class C>
using Gt = field::Dodecic<typename C::Fq2, PairingParameters<C>::kXi>;

// A point of G2 as the lines of its Miller loop: y at_y + x at_x + constant at (x, y).
template <class C>
struct PreparedG2 {
  struct Line {
    typename C::Fq2 at_y, at_x, constant;
  };
  std::vector<Line> lines;  // none for infinity
};

template <class C>
struct PairingTerm {
  Affine<typename C::Fq> p;
  const PreparedG2<C>* q = nullptr;
};

// All for C = Bn254, Bls12_381.

template <class C>
PreparedG2<C> prepare(const Affine<typename C::Fq2>& q);

// The product of e(p, q) over the terms; 1 for a term with infinity on either side.
template <class C>
Gt<C> pairing_product(std::span<const PairingTerm<C>> terms);

template <class C>
bool pairing_product_is_one(std::span<const PairingTerm<C>> terms) {
  return pairing_product<C>(terms) == Gt<C>::one();
}

template <class C>
Gt<C> pairing(const Affine<typename C::Fq>& p, const Affine<typename C::Fq2>& q) {
  const PreparedG2<C> prepared = prepare<C>(q);
  const PairingTerm<C> term{p, &prepared};
  return pairing_product<C>(std::span(&term, 1));
}

// f^(m (q^12 - 1) / r); zero for zero.
template <class C>
Gt<C> final_exponentiation(const Gt<C>& f);

}  // namespace prover::curve
