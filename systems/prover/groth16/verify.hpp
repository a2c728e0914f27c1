// SPDX-License-Identifier: Apache-2.0
// Verifies Groth16 proofs: e(A, B) = e(alpha, beta) e(sum x_i IC_i, gamma) e(C, delta), x_0 = 1.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "prover/curve/pairing.hpp"
#include "prover/groth16/proof.hpp"
#include "prover/msm/digits.hpp"

namespace prover::groth16 {

struct Verdict {
  bool valid = false;
  std::string
      reason;  // why not: "pi_b is not in the subgroup", "the pairing equation does not hold"
};

// A proof and its public values, plain, in the order of wires.
template <class C>
struct Claim {
  Proof<C> proof;
  std::vector<msm::Scalar> inputs;
};

// A verifying key that was checked, with the lines of its points and e(alpha, beta). For many
// proofs; safe to share between threads.
template <class C>
class Verifier {
 public:
  // Errors: a point of the key that is not on its curve or not in its group; alpha, beta, gamma or
  // delta that is infinity; no IC. They name the part as verification_key.json does.
  static Result<Verifier> create(const VerifyingKey<C>& key);

  // inputs: one for each public value, plain. What is not below r, not on its curve or not in its
  // group makes the proof invalid, as a wrong number of inputs does. Points may be infinity.
  Verdict verify(std::span<const msm::Scalar> inputs, const Proof<C>& proof) const;

  // One verdict each, at the price of one equation with a pairing for each claim and three more:
  // the sum of their equations with random coefficients of 128 bits, which holds with a probability
  // of 2^-128 when one of them does not. Only when it does not hold they are looked at one by one.
  // Errors: the system has no random bytes to give.
  Result<std::vector<Verdict>> verify_all(std::span<const Claim<C>> claims) const;

 private:
  explicit Verifier(const VerifyingKey<C>& key);
  // Empty when everything but the equation is right.
  std::string refusal(std::span<const msm::Scalar> inputs, const Proof<C>& proof) const;

  std::vector<G1Point<C>> ic_;
  curve::Jacobian<typename C::Fq> alpha_;
  curve::PreparedG2<C> beta_, gamma_, delta_;
  curve::Gt<C> alphabeta_;
};

extern template class Verifier<curve::Bn254>;
extern template class Verifier<curve::Bls12_381>;

// For one proof. A key that Verifier::create refuses makes it invalid, for that reason.
template <class C>
Verdict verify(const VerifyingKey<C>& key, std::span<const msm::Scalar> inputs,
               const Proof<C>& proof);

// e(alpha, beta) as verification_key.json has it; the points must be in their groups.
template <class C>
std::array<files::Integer, 12> alphabeta(const VerifyingKey<C>& key);

}  // namespace prover::groth16
