// SPDX-License-Identifier: Apache-2.0
// Verifies Groth16 proofs: e(-A, B) e(alpha, beta) e(sum x_i IC_i, gamma) e(C, delta) = 1.
#pragma once

#include <span>
#include <string>

#include "prover/groth16/proof.hpp"
#include "prover/msm/digits.hpp"

namespace prover::groth16 {

struct Verdict {
  bool valid = false;
  std::string
      reason;  // why not: "pi_b is not in the subgroup", "the pairing equation does not hold"
};

// inputs: one for each public value, plain. What is not below r, not on its curve or not in its
// group makes the proof invalid, as a wrong number of inputs does.
template <class C>
Verdict verify(const VerifyingKey<C>& key, std::span<const msm::Scalar> inputs,
               const Proof<C>& proof);

}  // namespace prover::groth16
