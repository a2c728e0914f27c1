// SPDX-License-Identifier: Apache-2.0
#include "prover/curve/pairing.hpp"

#include "prover/curve/pairing_loop.hpp"

namespace prover::curve {

template <class C>
PreparedG2<C> prepare(const Affine<typename C::Fq2>& q) {
  return {PairingLoop<C>::lines(q)};
}

template <class C>
Gt<C> pairing_product(std::span<const PairingTerm<C>> terms) {
  using Loop = PairingLoop<C>;
  return Loop::final_exponentiation(Loop::miller(terms));
}

template <class C>
Gt<C> final_exponentiation(const Gt<C>& f) {
  return PairingLoop<C>::final_exponentiation(f);
}

#define PROVER_FOR(C)                                                 \
  template PreparedG2<C> prepare<C>(const Affine<C::Fq2>&);           \
  template Gt<C> pairing_product<C>(std::span<const PairingTerm<C>>); \
  template Gt<C> final_exponentiation<C>(const Gt<C>&);
PROVER_FOR(Bn254)
PROVER_FOR(Bls12_381)
#undef PROVER_FOR

}  // namespace prover::curve
