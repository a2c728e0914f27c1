// SPDX-License-Identifier: Apache-2.0
#include "prover/curve/pairing.hpp"

#include <bit>

#include "prover/curve/pairing_loop.hpp"
#include "prover/field/isa.hpp"
#include "prover/field/mul_x86_64.hpp"

namespace prover::curve {
namespace {

template <class C>
struct WithAdx;
#if defined(__x86_64__)
template <>
struct WithAdx<Bn254> {
  using Curve = Bn254With<field::AdxMul>;
};
template <>
struct WithAdx<Bls12_381> {
  using Curve = Bls12_381With<field::AdxMul>;
};
#endif

// work.operator()<D>() for the D that is C with the instructions in use.
template <class C, class Work>
auto with_instructions(const Work& work) {
#if defined(__x86_64__)
  if (field::current_isa() >= field::Isa::adx)
    return work.template operator()<typename WithAdx<C>::Curve>();
#endif
  return work.template operator()<C>();
}

}  // namespace

template <class C>
PreparedG2<C> prepare(const Affine<typename C::Fq2>& q) {
  return with_instructions<C>([&]<class D>() {
    const auto lines = PairingLoop<D>::lines(std::bit_cast<Affine<typename D::Fq2>>(q));
    PreparedG2<C> prepared;
    prepared.lines.reserve(lines.size());
    for (const auto& line : lines)
      prepared.lines.push_back(std::bit_cast<typename PreparedG2<C>::Line>(line));
    return prepared;
  });
}

template <class C>
Gt<C> pairing_product(std::span<const PairingTerm<C>> terms) {
  return with_instructions<C>([&]<class D>() {
    using Loop = PairingLoop<D>;
    std::vector<typename Loop::Term> finite;
    std::vector<std::vector<typename Loop::Line>> lines;
    finite.reserve(terms.size());
    lines.reserve(terms.size());
    for (const PairingTerm<C>& term : terms) {
      if (term.p.is_infinity() || term.q->lines.empty()) continue;
      auto& own = lines.emplace_back();
      own.reserve(term.q->lines.size());
      for (const auto& line : term.q->lines)
        own.push_back(std::bit_cast<typename Loop::Line>(line));
      finite.push_back({std::bit_cast<Affine<typename D::Fq>>(term.p), own.data()});
    }
    return std::bit_cast<Gt<C>>(Loop::final_exponentiation(Loop::miller(finite)));
  });
}

template <class C>
Gt<C> final_exponentiation(const Gt<C>& f) {
  return with_instructions<C>([&]<class D>() {
    return std::bit_cast<Gt<C>>(PairingLoop<D>::final_exponentiation(std::bit_cast<Gt<D>>(f)));
  });
}

#define PROVER_FOR(C)                                                 \
  template PreparedG2<C> prepare<C>(const Affine<C::Fq2>&);           \
  template Gt<C> pairing_product<C>(std::span<const PairingTerm<C>>); \
  template Gt<C> final_exponentiation<C>(const Gt<C>&);
PROVER_FOR(Bn254)
PROVER_FOR(Bls12_381)
#undef PROVER_FOR

}  // namespace prover::curve
