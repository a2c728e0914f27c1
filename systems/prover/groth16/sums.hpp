// SPDX-License-Identifier: Apache-2.0
// The parts that a proof is made of, in whatever order and on whatever threads they are wanted: the
// sums over a key's points, and the proof from them. prove() does all of them one after the other;
// SplitProof (split.hpp) does them in two steps.
//   A = alpha + sum w_i A_i + r delta            B = beta + sum w_i B_i + s delta
//   C = sum w_i C_i + sum h_i H_i + s A + r B - r s delta,     r and s uniform, fresh, secret
#pragma once

#include <optional>
#include <stop_token>

#include "prover/files/zkey.hpp"
#include "prover/groth16/proof.hpp"
#include "prover/groth16/stages.hpp"
#include "prover/msm/digits.hpp"
#include "prover/ntt/domain.hpp"

namespace prover::groth16 {

template <class C>
using Sum1 = curve::Jacobian<typename C::Fq>;
template <class C>
using Sum2 = curve::Jacobian<typename C::Fq2>;

struct SumOptions {
  unsigned threads = 1;
  std::optional<unsigned> window = {};  // bits of a digit; nothing: the best for each sum
  // Whether the key's points may be on no curve; they are then looked at, in each sum's time.
  bool check_points = true;
  // The mapping behind the key, when its pages may go as soon as a section was used.
  const files::MappedFile* release = nullptr;
};

// The error for a point of a key, by its section, index and offset.
Error off_curve(const files::Zkey& key, files::ZkeySection section, std::size_t index,
                std::size_t point_bytes);

// Whether alpha1, beta1, delta1, beta2, gamma2 and delta2 are on their curves.
template <class C>
Result<void> check_header(const files::Zkey& key);

// The sums over one key. Holds nothing but its arguments; safe to share between threads as far as
// the Stages are not.
template <class C>
class KeySums {
 public:
  using Fr = typename C::Fr;
  using Digits = msm::Digits;

  KeySums(const files::Zkey& key, const SumOptions& options) : key_(key), options_(options) {}

  // Plain scalars below r.
  Digits cut(std::span<const msm::Scalar> scalars) const;

  // Over the witness. Errors: a bad point; ErrorKind::cancelled, once `stop` is requested.
  Result<Sum1<C>> a(const Digits& witness, Stages& stages, const std::stop_token& stop = {}) const;
  Result<Sum1<C>> b1(const Digits& witness, Stages& stages, const std::stop_token& stop = {}) const;
  Result<Sum2<C>> b2(const Digits& witness, Stages& stages, const std::stop_token& stop = {}) const;
  Result<Sum1<C>> c(const Digits& witness, Stages& stages, const std::stop_token& stop = {}) const;
  // Over the quotient's scalars.
  Result<Sum1<C>> h(const Digits& quotient, Stages& stages, const std::stop_token& stop = {}) const;

 private:
  template <class Group>
  Result<curve::Jacobian<typename Group::Coordinate>> multiply(
      const char* name, files::ZkeySection section, files::Bytes points, std::size_t first,
      const Digits& digits, Stages& stages, const std::stop_token& stop) const;

  const files::Zkey& key_;
  const SumOptions options_;
};

template <class C>
struct Sums {
  Sum1<C> a, b1, c;  // c: over C and H
  Sum2<C> b2;
};

// With fresh blinding. The header's points are on their curves.
template <class C>
Result<Proof<C>> assemble(const files::Zkey& key, const Sums<C>& sums);

extern template class KeySums<curve::Bn254>;
extern template class KeySums<curve::Bls12_381>;

}  // namespace prover::groth16
