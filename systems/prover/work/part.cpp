// SPDX-License-Identifier: Apache-2.0
#include "prover/work/part.hpp"

#include <cstring>

namespace prover::work {

using groth16::G1Point;
using groth16::G2Point;

template <class C>
std::vector<std::uint8_t> encode(const groth16::Proof<C>& proof,
                                 std::span<const msm::Scalar> publics) {
  std::vector<std::uint8_t> bytes(part_bytes<C>(static_cast<std::uint32_t>(publics.size())));
  auto* at = reinterpret_cast<std::byte*>(bytes.data());
  proof.a.store(at);
  proof.b.store(at += G1Point<C>::kBytes);
  proof.c.store(at += G2Point<C>::kBytes);
  at += G1Point<C>::kBytes;
  for (const msm::Scalar& value : publics) {
    field::store_limbs<4>(at, value);
    at += 32;
  }
  return bytes;
}

namespace {

template <class Fq>
bool is_reduced(const curve::Affine<Fq>& point) {
  return point.x.is_reduced() && point.y.is_reduced();
}
template <class Fq>
bool is_reduced(const curve::Affine<field::Quadratic<Fq>>& point) {
  return point.x.c0.is_reduced() && point.x.c1.is_reduced() && point.y.c0.is_reduced() &&
         point.y.c1.is_reduced();
}

}  // namespace

template <class C>
Result<groth16::Claim<C>> decode(std::span<const std::uint8_t> bytes) {
  PROVER_CHECK(bytes.size() >= part_bytes<C>(0) && (bytes.size() - part_bytes<C>(0)) % 32 == 0,
               "the size of a part");
  const auto* at = reinterpret_cast<const std::byte*>(bytes.data());
  const auto* const end = at + bytes.size();
  groth16::Claim<C> claim;
  claim.proof.a = G1Point<C>::load(at);
  claim.proof.b = G2Point<C>::load(at += G1Point<C>::kBytes);
  claim.proof.c = G1Point<C>::load(at += G2Point<C>::kBytes);
  if (!is_reduced(claim.proof.a) || !is_reduced(claim.proof.b) || !is_reduced(claim.proof.c))
    return fail(ErrorKind::self_check, "a coordinate is not below the prime");
  for (at += G1Point<C>::kBytes; at < end; at += 32) {
    const msm::Scalar value = field::load_limbs<4>(at);
    if (!field::less(value, C::Fr::kModulus))
      return fail(ErrorKind::self_check, "a public value is not below the prime");
    claim.inputs.push_back(value);
  }
  return claim;
}

#define PROVER_INSTANTIATE(C)                                                 \
  template std::vector<std::uint8_t> encode<C>(const groth16::Proof<C>&,      \
                                               std::span<const msm::Scalar>); \
  template Result<groth16::Claim<C>> decode<C>(std::span<const std::uint8_t>);
PROVER_INSTANTIATE(curve::Bn254)
PROVER_INSTANTIATE(curve::Bls12_381)
#undef PROVER_INSTANTIATE

}  // namespace prover::work
