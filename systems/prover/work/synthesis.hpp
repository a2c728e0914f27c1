// SPDX-License-Identifier: Apache-2.0
// Inside this folder: from a job's input to the witness and the rows of one partition.
#pragma once

#include <stop_token>

#include "prover/groth16/split.hpp"
#include "prover/work/groth16_work.hpp"
#include "prover/work/matrices.hpp"

namespace prover::work {

template <class C>
struct Synthesised final : Assignment {
  groth16::Rows<C> rows;
  Pages<msm::Scalar> witness;  // plain
};

// The wires of a partition, plain: copied from its witness and checked, or made by the builder.
template <class C>
Result<Pages<msm::Scalar>> plain_witness(const Groth16Job& job, std::uint32_t partition,
                                         const Settings& settings, const std::stop_token& stop);

// `matrices` is null with --compiled off. Errors: a bad witness; no builder where one is needed;
// pages that may not be locked; ErrorKind::cancelled, once `stop` is requested.
template <class C>
Result<std::unique_ptr<Synthesised<C>>> synthesise(const Groth16Job& job, std::uint32_t partition,
                                                   const Matrices<typename C::Fr>* matrices,
                                                   const Settings& settings,
                                                   const std::stop_token& stop);

}  // namespace prover::work
