// SPDX-License-Identifier: Apache-2.0
#include "prover/groth16/proof.hpp"

#include <algorithm>

namespace prover::groth16 {
namespace {

using curve::Affine;
using curve::Bls12_381;
using curve::Bn254;
using files::G1Text;
using files::G2Text;
using files::Integer;

template <class Fq>
Fq from_integer(const Integer& integer) {
  typename Fq::Plain plain;
  std::copy_n(integer.begin(), plain.size(), plain.begin());
  return Fq::from_plain(plain);
}
template <class Fq>
Integer to_integer(const Fq& value) {
  Integer integer{};
  const auto plain = value.plain();
  std::copy(plain.begin(), plain.end(), integer.begin());
  return integer;
}

template <class C>
G1Point<C> point(const G1Text& text) {
  return {from_integer<typename C::Fq>(text.x), from_integer<typename C::Fq>(text.y)};
}
template <class C>
G2Point<C> point(const G2Text& text) {
  using Fq = typename C::Fq;
  return {{from_integer<Fq>(text.x[0]), from_integer<Fq>(text.x[1])},
          {from_integer<Fq>(text.y[0]), from_integer<Fq>(text.y[1])}};
}
template <class Fq>
G1Text text_of(const Affine<Fq>& p) {
  return {to_integer(p.x), to_integer(p.y)};
}
template <class Fq>
G2Text text_of(const Affine<field::Quadratic<Fq>>& p) {
  return {{to_integer(p.x.c0), to_integer(p.x.c1)}, {to_integer(p.y.c0), to_integer(p.y.c1)}};
}

}  // namespace

template <class C>
VerifyingKey<C> verifying_key(const files::Zkey& key) {
  VerifyingKey<C> result{G1Point<C>::load(key.alpha1.data()),
                         G2Point<C>::load(key.beta2.data()),
                         G2Point<C>::load(key.gamma2.data()),
                         G2Point<C>::load(key.delta2.data()),
                         {}};
  for (std::size_t at = 0; at < key.ic.size(); at += G1Point<C>::kBytes)
    result.ic.push_back(G1Point<C>::load(key.ic.data() + at));
  return result;
}

template <class C>
Proof<C> from_text(const files::ProofText& text) {
  return {point<C>(text.a), point<C>(text.b), point<C>(text.c)};
}

template <class C>
files::ProofText to_text(const Proof<C>& proof) {
  return {C::kId, text_of(proof.a), text_of(proof.b), text_of(proof.c)};
}

template <class C>
VerifyingKey<C> from_text(const files::VerificationKeyText& text) {
  VerifyingKey<C> key{point<C>(text.alpha1),
                      point<C>(text.beta2),
                      point<C>(text.gamma2),
                      point<C>(text.delta2),
                      {}};
  for (const G1Text& ic : text.ic) key.ic.push_back(point<C>(ic));
  return key;
}

template <class C>
files::VerificationKeyText to_text(const VerifyingKey<C>& key) {
  files::VerificationKeyText text{
      C::kId, text_of(key.alpha1), text_of(key.beta2), text_of(key.gamma2), text_of(key.delta2), {},
      {}};
  for (const auto& ic : key.ic) text.ic.push_back(text_of(ic));
  return text;
}

#define PROVER_INSTANTIATE(C)                                               \
  template VerifyingKey<C> verifying_key<C>(const files::Zkey&);            \
  template Proof<C> from_text<C>(const files::ProofText&);                  \
  template files::ProofText to_text<C>(const Proof<C>&);                    \
  template VerifyingKey<C> from_text<C>(const files::VerificationKeyText&); \
  template files::VerificationKeyText to_text<C>(const VerifyingKey<C>&);
PROVER_INSTANTIATE(Bn254)
PROVER_INSTANTIATE(Bls12_381)
#undef PROVER_INSTANTIATE

}  // namespace prover::groth16
