// SPDX-License-Identifier: Apache-2.0
// The compiled circuit: matrices A and B by rows, so that a, b and c are matrix x witness. Built
// from section 4 of any key. An entry takes 8 bytes, its wire and the number of its value, and
// equal values are kept once as far as a table of kMostDistinct knows them.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>

#include "prover/base/pages.hpp"
#include "prover/field/params.hpp"
#include "prover/files/zkey.hpp"
#include "prover/msm/digits.hpp"

namespace prover::work {

// Values beyond these are kept each for itself: circuits have few, and the table has a bound.
inline constexpr std::size_t kMostDistinct = std::size_t{1} << 16;

// How many values the matrices of this key keep. Reads section 4 once.
std::uint64_t distinct_values(const files::Zkey& key, const files::MappedFile& file);

template <class Fr>
class Matrices {
 public:
  // `distinct`: distinct_values of the key. Errors: a coefficient out of range, by index and
  // offset; ErrorKind::cancelled.
  static Result<Matrices> build(const files::Zkey& key, const files::MappedFile& file,
                                std::uint64_t distinct, const std::stop_token& stop);
  // What it holds.
  static std::uint64_t bytes_for(std::uint64_t domain, std::uint64_t coefficients,
                                 std::uint64_t distinct);

  // Appends a, b and c = a b of every row, in Montgomery form, from a plain witness. False once
  // `stop` is requested.
  bool multiply(std::span<const msm::Scalar> witness, Pages<Fr>& a, Pages<Fr>& b, Pages<Fr>& c,
                const std::stop_token& stop) const;

 private:
  struct Entry {
    std::uint32_t wire;
    std::uint32_t value;  // its number
  };
  // Row i has the entries [starts[i], starts[i + 1]).
  struct Matrix {
    Pages<std::uint32_t> starts;
    Pages<Entry> entries;
  };
  template <class F>
  F dot(const Matrix& matrix, std::size_t row, std::span<const msm::Scalar> witness) const;
  template <class F>
  bool multiply_with(std::span<const msm::Scalar> witness, Pages<Fr>& a, Pages<Fr>& b, Pages<Fr>& c,
                     const std::stop_token& stop) const;

  Matrix a_, b_;
  Pages<Fr> values_;  // times R^2, as keys hold them; the first two are 1 and -1
};

extern template class Matrices<field::Bn254Fr>;
extern template class Matrices<field::Bls12_381Fr>;

}  // namespace prover::work
