// SPDX-License-Identifier: Apache-2.0
// A partition's proof as the engine carries it: the three points, affine, in Montgomery form as
// keys hold them, and then each public value, plain, 32 bytes. The size follows from the circuit.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "prover/groth16/proof.hpp"
#include "prover/groth16/verify.hpp"

namespace prover::work {

template <class C>
constexpr std::size_t part_bytes(std::uint32_t publics) {
  return 2 * groth16::G1Point<C>::kBytes + groth16::G2Point<C>::kBytes + 32 * std::size_t{publics};
}

template <class C>
std::vector<std::uint8_t> encode(const groth16::Proof<C>& proof,
                                 std::span<const msm::Scalar> publics);

// `bytes` has part_bytes. Errors: a coordinate or a value that is not below its prime. Whether the
// points are on their curves and in their groups is for the Verifier.
template <class C>
Result<groth16::Claim<C>> decode(std::span<const std::uint8_t> bytes);

}  // namespace prover::work
