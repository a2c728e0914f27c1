// SPDX-License-Identifier: Apache-2.0
// One proof in two steps, for those who make many with one key: `start` is what needs the rows a, b
// and c, which may go after it; `finish` is the rest. Nothing here is checked again: the points of
// the key, its header's too, are on their curves, and the witness is below r. Whether the proof
// verifies is for whoever hands it out.
#pragma once

#include <optional>
#include <stop_token>
#include <thread>

#include "prover/base/pages.hpp"
#include "prover/groth16/sums.hpp"

namespace prover::groth16 {

// The rows of A, B and C times the witness, on the whole domain, in Montgomery form: c = a b.
template <class C>
struct Rows {
  Pages<typename C::Fr> a, b, c;
};

struct SplitOptions {
  unsigned threads = 1;
  std::optional<unsigned> window = {};
  bool parallel_g2 = false;       // the sum in G2 on a thread of its own, from start on
  assay::emit::Item item = {};    // of the spans
  StageTotals* totals = nullptr;  // who is told of each stage
};

template <class C>
class SplitProof {
 public:
  using Fr = typename C::Fr;

  // `witness`: plain, key.wires of them. The key and the domain outlive this.
  SplitProof(const files::Zkey& key, const ntt::Domain<Fr>& domain, const SplitOptions& options,
             Rows<C> rows, Pages<msm::Scalar> witness);
  ~SplitProof();
  SplitProof(const SplitProof&) = delete;
  SplitProof& operator=(const SplitProof&) = delete;

  // Transforms, the quotient, and the sums over H, C, A and B in G1; uses the rows up. Errors:
  // ErrorKind::cancelled, once `stop` is requested.
  Result<void> start(const std::stop_token& stop);
  // Gives the rows' memory back to the system.
  void free_rows() { rows_ = {}; }
  std::span<const msm::Scalar> witness() const { return witness_; }
  // The sum over B in G2, where it is not done yet, blinding and assembly. After start.
  Result<Proof<C>> finish(const std::stop_token& stop);

  // What a proof takes at most beside its rows and its witness.
  static std::uint64_t scratch_bytes(std::uint64_t wires, std::uint64_t domain,
                                     const SplitOptions& options);

 private:
  Result<void> sum_quotient(const std::stop_token& stop);
  Result<void> sum_witness(const std::stop_token& stop);
  void sum_g2(const std::stop_token& stop);

  const files::Zkey& key_;
  const ntt::Domain<Fr>& domain_;
  const SplitOptions options_;
  const KeySums<C> key_sums_;
  Stages stages_;
  Rows<C> rows_;
  Pages<msm::Scalar> witness_;
  std::optional<msm::Digits> digits_;  // of the witness, until B is summed in G2
  Sums<C> sums_;
  std::optional<Result<Sum2<C>>> b2_;  // by g2_ or by finish
  std::thread g2_;
};

extern template class SplitProof<curve::Bn254>;
extern template class SplitProof<curve::Bls12_381>;

}  // namespace prover::groth16
