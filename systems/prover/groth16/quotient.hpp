// SPDX-License-Identifier: Apache-2.0
// From a witness to the scalars of a key's section H: the rows of A and B times the witness, c = a
// b, and a b - c on the odd coset. There the vanishing polynomial is the constant -2, which the
// points of section H have in them, so nothing is divided. Six transforms.
#pragma once

#include <span>
#include <stop_token>

#include "prover/files/zkey.hpp"
#include "prover/groth16/stages.hpp"
#include "prover/msm/digits.hpp"
#include "prover/ntt/domain.hpp"

namespace prover::groth16 {

// a[row] += value * witness[wire] for the entries of matrix A, b likewise, on every row of the
// domain; in Montgomery form. Every entry is checked: an error names it and its offset.
template <class Fr>
Result<void> evaluate_rows(const files::Zkey& key, std::span<const msm::Scalar> witness,
                           std::span<Fr> a, std::span<Fr> b, unsigned threads);

// c = a b
template <class Fr>
void multiply_rows(std::span<const Fr> a, std::span<const Fr> b, std::span<Fr> c, unsigned threads);

// The values of a, b and c on the domain become, in a, one plain scalar for each point of section
// H, as msm::Scalar has it; b and c hold nothing of use afterwards. Errors: ErrorKind::cancelled,
// once `stop` is requested.
template <class Fr>
Result<std::span<const msm::Scalar>> quotient(const ntt::Domain<Fr>& domain, std::span<Fr> a,
                                              std::span<Fr> b, std::span<Fr> c, unsigned threads,
                                              Stages& stages, const std::stop_token& stop = {});

}  // namespace prover::groth16
