// SPDX-License-Identifier: Apache-2.0
// A proving key in private memory, whole and checked, and the twiddles of its domain: what "key
// NAME" holds while it is loaded.
#pragma once

#include <stop_token>

#include "prover/engine/buffer.hpp"
#include "prover/engine/work.hpp"
#include "prover/files/zkey.hpp"
#include "prover/ntt/domain.hpp"
#include "prover/work/state.hpp"

namespace prover::work {

template <class C>
class Key final : public Resource {
 public:
  // What a key of this circuit holds.
  static std::uint64_t bytes_for(const files::Zkey& key);
  // Reads the sections A, B1, B2, C and H and checks every point, the header's too. Errors name the
  // section and the offset; or another checksum, no memory, ErrorKind::cancelled.
  static Result<std::shared_ptr<const Key>> load(const Circuit::State& circuit, unsigned threads,
                                                 const std::stop_token& stop);

  // Its points lie in this object; it has no coefficients and no IC.
  const files::Zkey& key() const { return key_; }
  const ntt::Domain<typename C::Fr>& domain() const { return *domain_; }

 private:
  files::Zkey key_;
  Buffer memory_;
  std::optional<ntt::Domain<typename C::Fr>> domain_;
};

extern template class Key<curve::Bn254>;
extern template class Key<curve::Bls12_381>;

}  // namespace prover::work
