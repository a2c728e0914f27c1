// SPDX-License-Identifier: Apache-2.0
// Inside this folder: what a job from a seed learns while it is worked on.
#pragma once

#include <map>
#include <mutex>
#include <variant>
#include <vector>

#include "prover/circuit/synthesis.hpp"
#include "prover/msm/digits.hpp"
#include "prover/work/groth16_work.hpp"

namespace prover::work {

struct Groth16Job::Made {
  std::mutex mutex;
  // porep's, computed by the first who wants it.
  std::variant<std::monostate, circuit::SharedSector<field::Bn254Fr>,
               circuit::SharedSector<field::Bls12_381Fr>>
      sector;
  // The public values of each partition that was synthesised: what its proof must be about.
  std::map<std::uint32_t, std::vector<msm::Scalar>> publics;
};

// The builder's request for a partition of a job from a seed.
circuit::Request request_of(const Groth16Job& job, std::uint32_t partition);

template <class Fr>
circuit::SharedSector<Fr> sector_of(const Groth16Job& job);

// The public values that a partition's proof must be about: those of its witness. For a job from a
// seed they are remembered from the synthesis, or its witness is made again.
template <class C>
Result<std::vector<msm::Scalar>> expected_publics(const Groth16Job& job, std::uint32_t partition);

}  // namespace prover::work
