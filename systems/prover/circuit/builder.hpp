// SPDX-License-Identifier: Apache-2.0
// Writes the circuit of a request into a constraint system of any kind. Every use of it compiles
// all circuits: it belongs into few translation units.
#pragma once

#include <array>
#include <vector>

#include "prover/circuit/build.hpp"
#include "prover/circuit/dense.hpp"
#include "prover/circuit/porep.hpp"

namespace prover::circuit {

// The levels of a Merkle path of a request.
inline std::uint32_t levels_of(const Request& request) {
  return request.depth.value_or(request.constraints / kMerklePathConstraints);
}

template <class Fr>
Sector<Fr> sector_of(const Request& request) {
  return Sector<Fr>::of(request.seed, request.depth.value_or(kPorepDepth));
}

template <class Cs>
void build_poseidon(Cs& cs, const Request& request) {
  using Fr = typename Cs::Fr;
  const std::uint32_t levels = levels_of(request);
  const Digest sides = sha256("prover poseidon sides", std::array{request.seed});
  std::vector<bool> is_right;
  std::vector<Fr> siblings;
  for (std::uint64_t i = 0; i < levels; ++i) {
    is_right.push_back((sides[i / 8 % sides.size()] >> (i % 8) & 1) != 0);
    siblings.push_back(element_of<Fr>("prover poseidon sibling", std::array{request.seed, i}));
  }
  const Fr leaf = element_of<Fr>("prover poseidon leaf", std::array{request.seed});
  merkle_path<Cs>(cs, leaf, is_right, siblings);
}

template <class Cs>
void build_sha256(Cs& cs, const Request& request) {
  std::vector<bool> message;
  for (std::uint64_t i = 0; message.size() < request.bits; ++i)
    for (const std::uint8_t byte : sha256("prover sha256 message", std::array{request.seed, i}))
      for (int j = 7; j >= 0 && message.size() < request.bits; --j)
        message.push_back((byte >> j & 1) != 0);
  sha256_circuit(cs, message);
}

// `sector`: of the request's seed and depth, when somebody has it; only porep wants one.
template <class Cs>
void build(Cs& cs, const Request& request, const Sector<typename Cs::Fr>* sector = nullptr) {
  using Fr = typename Cs::Fr;
  switch (request.kind) {
    case Kind::dense:
      dense(cs, request.constraints, element_of<Fr>("prover dense", std::array{request.seed}));
      break;
    case Kind::poseidon:
      build_poseidon(cs, request);
      break;
    case Kind::sha256:
      build_sha256(cs, request);
      break;
    case Kind::porep:
      if (sector != nullptr)
        porep(cs, *sector, request.partition, request.challenges);
      else
        porep(cs, sector_of<Fr>(request), request.partition, request.challenges);
      break;
  }
}

}  // namespace prover::circuit
