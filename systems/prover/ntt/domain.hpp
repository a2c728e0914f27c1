// SPDX-License-Identifier: Apache-2.0
// Number-theoretic transforms over the fields of scalars: between the values of a polynomial of
// degree < N = 2^n at the powers of w = field::root_of_unity<Fr>(n) and its coefficients.
//
// Coefficients lie in bit-reversed order (the one of x^i at the place that has the n bits of i
// reversed), so that no transform ever permutes: `inverse` decimates in frequency, `forward` in
// time. Both work in place, tile by tile: the vector passes through memory 1 + ceil((n - 14) / 8)
// times. The number of threads and the instructions in use do not change a bit of the result.
// Ref: Gentleman, Sande (1966), Cooley, Tukey (1965); tiles: Bailey, FFTs in external or
// hierarchical memory (1990).
#pragma once

#include <memory>
#include <span>

#include "prover/base/pages.hpp"
#include "prover/base/result.hpp"
#include "prover/field/params.hpp"

namespace prover::ntt {

// Fr: field::Bn254Fr or field::Bls12_381Fr. A domain is cheap to copy and safe to share between
// threads; every span must have exactly size() elements.
template <class Fr>
class Domain {
 public:
  // The largest log_size: the odd coset takes a root of twice the order.
  static constexpr unsigned kMaxLogSize = Fr::Params::kTwoAdicity - 1;

  // Twiddles are computed by the first who asks for a size and kept as long as one of its domains
  // lives. Errors: log_size > kMaxLogSize; too little memory.
  static Result<Domain> create(unsigned log_size);

  unsigned log_size() const { return log_size_; }
  std::size_t size() const { return std::size_t{1} << log_size_; }
  // Memory that all domains of this size share.
  std::size_t table_bytes() const { return size() * Fr::kBytes; }

  // Values at w^0, w^1, ... -> coefficients times N, bit-reversed.
  void inverse(std::span<Fr> values, unsigned threads) const;
  // Bit-reversed coefficients -> values at w^0, w^1, ...
  void forward(std::span<Fr> coefficients, unsigned threads) const;
  // What `inverse` left -> coefficients of f(v x), v = root_of_unity(n + 1), bit-reversed: the i-th
  // times v^i / N. `forward` then gives the values at v, v w, v w^2, ...: where the points of
  // section H of a key want a b - c.
  void shift_to_coset(std::span<Fr> coefficients, unsigned threads) const;

 private:
  // Powers of w and of 1 / w by bit-reversed exponents, N / 2 of each.
  struct Twiddles {
    Pages<Fr> forward, inverse;
  };

  Domain(unsigned log_size, std::shared_ptr<const Twiddles> twiddles)
      : log_size_(log_size), twiddles_(std::move(twiddles)) {}
  static Twiddles compute(unsigned log_size);
  static std::shared_ptr<const Twiddles> shared(unsigned log_size);

  unsigned log_size_;
  std::shared_ptr<const Twiddles> twiddles_;
};

extern template class Domain<field::Bn254Fr>;
extern template class Domain<field::Bls12_381Fr>;

// a[i] = a[i] b[i] - c[i]; all of one size.
template <class Fr>
void multiply_subtract(std::span<Fr> a, std::span<const Fr> b, std::span<const Fr> c,
                       unsigned threads);
// Elements (Montgomery) to the bytes of integers < r, where they lie; and back.
template <class Fr>
void to_plain(std::span<Fr> values, unsigned threads);
template <class Fr>
void from_plain(std::span<Fr> values, unsigned threads);

}  // namespace prover::ntt
