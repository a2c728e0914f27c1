// SPDX-License-Identifier: Apache-2.0
#include "prover/groth16/split.hpp"

#include <algorithm>
#include <new>
#include <system_error>
#include <utility>

#include "prover/groth16/quotient.hpp"
#include "prover/msm/msm.hpp"

namespace prover::groth16 {

using msm::Digits;
using msm::Scalar;

template <class C>
SplitProof<C>::SplitProof(const files::Zkey& key, const ntt::Domain<Fr>& domain,
                          const SplitOptions& options, Rows<C> rows, Pages<Scalar> witness)
    : key_(key),
      domain_(domain),
      options_(options),
      key_sums_(key, {.threads = options.threads, .window = options.window, .check_points = false}),
      stages_(options.item, options.totals),
      rows_(std::move(rows)),
      witness_(std::move(witness)) {}

template <class C>
SplitProof<C>::~SplitProof() {
  if (g2_.joinable()) g2_.join();
}

// The digits of the quotient are the largest thing beside the rows, so they come and go before
// those of the witness come, which stay until finish.
template <class C>
Result<void> SplitProof<C>::start(const std::stop_token& stop) {
  if (options_.parallel_g2) {
    {
      const Stages::Scope stage(stages_, "digits");
      digits_.emplace(key_sums_.cut(witness_));
    }
    try {
      g2_ = std::thread([this, stop] { sum_g2(stop); });
    } catch (const std::system_error&) {  // no more threads: then it is summed in finish
    }
  }
  if (auto done = sum_quotient(stop); !done) return done;
  return sum_witness(stop);
}

template <class C>
Result<void> SplitProof<C>::sum_quotient(const std::stop_token& stop) {
  const auto scalars =
      quotient<Fr>(domain_, rows_.a, rows_.b, rows_.c, options_.threads, stages_, stop);
  if (!scalars) return fail(scalars.error());
  const Digits digits = [&] {
    const Stages::Scope stage(stages_, "digits_h");
    return key_sums_.cut(*scalars);
  }();
  const auto h = key_sums_.h(digits, stages_, stop);
  if (!h) return fail(h.error());
  sums_.c = *h;
  return {};
}

template <class C>
Result<void> SplitProof<C>::sum_witness(const std::stop_token& stop) {
  if (!digits_) {
    const Stages::Scope stage(stages_, "digits");
    digits_.emplace(key_sums_.cut(witness_));
  }
  const auto c = key_sums_.c(*digits_, stages_, stop);
  if (!c) return fail(c.error());
  const auto a = key_sums_.a(*digits_, stages_, stop);
  if (!a) return fail(a.error());
  const auto b1 = key_sums_.b1(*digits_, stages_, stop);
  if (!b1) return fail(b1.error());
  sums_.a = *a, sums_.b1 = *b1, sums_.c += *c;
  return {};
}

template <class C>
void SplitProof<C>::sum_g2(const std::stop_token& stop) {
  Stages stages(options_.item, options_.totals);  // other threads use the member at the same time
  try {
    b2_ = key_sums_.b2(*digits_, stages, stop);
  } catch (const std::bad_alloc&) {
    b2_ = fail(ErrorKind::out_of_memory, "out of memory");
  }
}

template <class C>
Result<Proof<C>> SplitProof<C>::finish(const std::stop_token& stop) {
  if (g2_.joinable()) g2_.join();
  if (!b2_) sum_g2(stop);
  digits_.reset();
  if (!*b2_) return fail(b2_->error());
  sums_.b2 = **b2_;
  const Stages::Scope stage(stages_, "assemble");
  return assemble<C>(key_, sums_);
}

// Serial: the digits of the quotient, and later those of the witness, with the buckets of the sum
// that uses them. Parallel: both, and the buckets of a sum in G2 beside those of one in G1.
template <class C>
std::uint64_t SplitProof<C>::scratch_bytes(std::uint64_t wires, std::uint64_t domain,
                                           const SplitOptions& options) {
  using G1 = typename C::G1;
  using G2 = typename C::G2;
  const auto window = [&](std::uint64_t scalars) {
    return options.window.value_or(msm::best_window(scalars, Fr::kModulus, options.threads));
  };
  const unsigned for_h = window(domain), for_w = window(wires);
  const std::uint64_t h = Digits::bytes_for(domain, Fr::kModulus, for_h) +
                          msm::scratch_bytes<G1>(domain, for_h, options.threads);
  const std::uint64_t w = Digits::bytes_for(wires, Fr::kModulus, for_w);
  const std::uint64_t b1 = msm::scratch_bytes<G1>(wires, for_w, options.threads);
  const std::uint64_t b2 = msm::scratch_bytes<G2>(wires, for_w, options.threads);
  if (options.parallel_g2) return w + b2 + std::max(h, b1);
  return std::max({h, w + b1, w + b2});
}

template class SplitProof<curve::Bn254>;
template class SplitProof<curve::Bls12_381>;

}  // namespace prover::groth16
