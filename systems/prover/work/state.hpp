// SPDX-License-Identifier: Apache-2.0
// Inside this folder: what a Circuit holds, and how code that knows its curve is reached.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>
#include <variant>

#include "prover/files/zkey.hpp"
#include "prover/groth16/verify.hpp"
#include "prover/work/circuit.hpp"

namespace prover::work {

struct Circuit::State {
  using Verifier =
      std::variant<groth16::Verifier<curve::Bn254>, groth16::Verifier<curve::Bls12_381>>;

  CircuitSource source;
  files::ZkeyFile file;
  Verifier verifier;
  // Values that the matrices keep: see Matrices.
  std::uint64_t distinct_values = 0;
  std::optional<circuit::Size> size;  // of the builder's circuit, where there is one

  const files::Zkey& key() const { return file.key(); }
  template <class C>
  const groth16::Verifier<C>& verifier_of() const {
    return std::get<groth16::Verifier<C>>(verifier);
  }
};

// visit(std::type_identity<C>) with the curve's C.
template <class Visit>
auto with_curve(CurveId curve, const Visit& visit) {
  return curve == CurveId::bn254 ? visit(std::type_identity<curve::Bn254>())
                                 : visit(std::type_identity<curve::Bls12_381>());
}

}  // namespace prover::work
