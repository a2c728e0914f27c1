// SPDX-License-Identifier: Apache-2.0
// From a witness to the scalars of a key's section H: the rows of A and B times the witness, c = a
// b, and a b - c on the odd coset. There the vanishing polynomial is the constant -2, which the
// points of section H have in them, so nothing is divided. Six transforms.
#pragma once

#include <span>
#include <vector>

#include "prover/files/zkey.hpp"
#include "prover/groth16/stages.hpp"
#include "prover/msm/digits.hpp"

namespace prover::groth16 {

// a[row] += value * witness[wire] for the entries of matrix A, b likewise, on every row of the
// domain; in Montgomery form. Every entry is checked: an error names it and its offset.
template <class Fr>
Result<void> evaluate_rows(const files::Zkey& key, std::span<const msm::Scalar> witness,
                           std::span<Fr> a, std::span<Fr> b, unsigned threads);

// One plain scalar for each point of section H. witness: key.wires integers below r.
// Takes 96 bytes a row while it runs.
template <class C>
Result<std::vector<msm::Scalar>> quotient(const files::Zkey& key,
                                          std::span<const msm::Scalar> witness, unsigned threads,
                                          Stages& stages);

}  // namespace prover::groth16
