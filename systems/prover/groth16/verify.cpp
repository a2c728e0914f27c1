// SPDX-License-Identifier: Apache-2.0
#include "prover/groth16/verify.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "prover/curve/subgroup.hpp"
#include "prover/groth16/random.hpp"
#include "prover/msm/msm.hpp"

namespace prover::groth16 {
namespace {

using curve::Bls12_381;
using curve::Bn254;
using curve::PairingTerm;
using msm::Scalar;

constexpr const char* kUnequal = "the pairing equation does not hold";

// Empty when the point, which may be infinity, is in its group.
template <class C>
std::string refusal_of(const std::string& name, const G1Point<C>& point) {
  if (!curve::is_on_curve(point, C::G1::b())) return name + " is not on the curve";
  if (!curve::is_in_subgroup<C>(point)) return name + " is not in the subgroup";
  return {};
}
template <class C>
std::string refusal_of(const std::string& name, const G2Point<C>& point) {
  if (!curve::is_on_curve(point, C::G2::b())) return name + " is not on the curve";
  if (!curve::is_in_subgroup<C>(point)) return name + " is not in the subgroup";
  return {};
}

template <class C>
std::string refusal_of_key(const VerifyingKey<C>& key) {
  if (std::string why = refusal_of<C>("vk_alpha_1", key.alpha1); !why.empty()) return why;
  if (key.alpha1.is_infinity()) return "vk_alpha_1 is infinity";
  const std::pair<const char*, const G2Point<C>*> points[] = {
      {"vk_beta_2", &key.beta2}, {"vk_gamma_2", &key.gamma2}, {"vk_delta_2", &key.delta2}};
  for (const auto& [name, point] : points) {
    if (std::string why = refusal_of<C>(name, *point); !why.empty()) return why;
    if (point->is_infinity()) return fmt::format("{} is infinity", name);
  }
  if (key.ic.empty()) return "IC has no points";
  for (std::size_t i = 0; i < key.ic.size(); ++i)
    if (std::string why = refusal_of<C>(fmt::format("IC[{}]", i), key.ic[i]); !why.empty())
      return why;
  return {};
}

// sum scalars[i] points[i], the points in their group.
template <class C>
curve::Jacobian<typename C::Fq> combine(std::span<const G1Point<C>> points,
                                        std::span<const Scalar> scalars) {
  using Point = curve::Jacobian<typename C::Fq>;
  constexpr std::size_t kWorthBuckets = 64;
  if (points.size() >= kWorthBuckets) {
    const unsigned window = msm::best_window(points.size(), C::Fr::kModulus, 1);
    const msm::Digits digits(scalars, C::Fr::kModulus, window, 1);
    return msm::multiply<typename C::G1>({std::as_bytes(points)}, digits, 1);
  }
  Point sum = Point::infinity();  // all share their doublings
  for (std::size_t bit = 256; bit-- > 0;) {
    sum = sum.doubled();
    for (std::size_t i = 0; i < points.size(); ++i)
      if (field::bit(scalars[i], bit)) sum += points[i];
  }
  return sum;
}

}  // namespace

template <class C>
Verifier<C>::Verifier(const VerifyingKey<C>& key)
    : ic_(key.ic),
      alpha_(curve::Jacobian<typename C::Fq>::from(key.alpha1)),
      beta_(curve::prepare<C>(key.beta2)),
      gamma_(curve::prepare<C>(key.gamma2)),
      delta_(curve::prepare<C>(key.delta2)) {
  const PairingTerm<C> term{key.alpha1, &beta_};
  alphabeta_ = curve::pairing_product<C>(std::span(&term, 1));
}

template <class C>
Result<Verifier<C>> Verifier<C>::create(const VerifyingKey<C>& key) {
  if (std::string why = refusal_of_key(key); !why.empty())
    return fail(ErrorKind::usage, "the verifying key is no key: " + why);
  return Verifier(key);
}

template <class C>
std::string Verifier<C>::refusal(std::span<const Scalar> inputs, const Proof<C>& proof) const {
  if (inputs.size() + 1 != ic_.size())
    return fmt::format("the key takes {} public values and got {}", ic_.size() - 1, inputs.size());
  // x and x + r would prove the same, and what was proven is said once only.
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (!field::less(inputs[i], C::Fr::kModulus))
      return fmt::format("public value {} is not below the order of the group", i);
  if (std::string why = refusal_of<C>("pi_a", proof.a); !why.empty()) return why;
  if (std::string why = refusal_of<C>("pi_b", proof.b); !why.empty()) return why;
  return refusal_of<C>("pi_c", proof.c);
}

template <class C>
Verdict Verifier<C>::verify(std::span<const Scalar> inputs, const Proof<C>& proof) const {
  if (std::string why = refusal(inputs, proof); !why.empty()) return {false, std::move(why)};
  std::vector<Scalar> scalars{field::from_word<4>(1)};
  scalars.insert(scalars.end(), inputs.begin(), inputs.end());
  const auto sum = combine<C>(ic_, scalars);
  const auto b = curve::prepare<C>(proof.b);
  const PairingTerm<C> terms[] = {{proof.a, &b}, {(-sum).affine(), &gamma_}, {-proof.c, &delta_}};
  if (curve::pairing_product<C>(terms) != alphabeta_) return {false, kUnequal};
  return {true, {}};
}

template <class C>
Result<std::vector<Verdict>> Verifier<C>::verify_all(std::span<const Claim<C>> claims) const {
  using Fr = typename C::Fr;
  using Point = curve::Jacobian<typename C::Fq>;
  std::vector<Verdict> verdicts(claims.size());
  std::vector<curve::PreparedG2<C>> lines;
  std::vector<PairingTerm<C>> terms;
  lines.reserve(claims.size());
  std::vector<Fr> scalars(ic_.size());
  Point c = Point::infinity();
  for (std::size_t i = 0; i < claims.size(); ++i) {
    const auto& [proof, inputs] = claims[i];
    verdicts[i].reason = refusal(inputs, proof);
    if (!verdicts[i].reason.empty()) continue;
    std::array<std::uint64_t, 2> random;
    if (auto done = random_bytes(std::as_writable_bytes(std::span(random))); !done)
      return fail(done.error());
    const Scalar factor = {random[0], random[1]};
    const Fr weight = Fr::from_plain(factor);
    lines.push_back(curve::prepare<C>(proof.b));
    terms.push_back({Point::from(proof.a).times(random).affine(), &lines.back()});
    scalars[0] += weight;
    for (std::size_t k = 0; k < inputs.size(); ++k)
      scalars[k + 1] += weight * Fr::from_plain(inputs[k]);
    c += Point::from(proof.c).times(random);
  }
  std::vector<Scalar> plain;
  for (const Fr& scalar : scalars) plain.push_back(scalar.plain());
  terms.push_back({(-alpha_.times(plain[0])).affine(), &beta_});
  terms.push_back({(-combine<C>(ic_, plain)).affine(), &gamma_});
  terms.push_back({(-c).affine(), &delta_});
  const bool all = curve::pairing_product_is_one<C>(std::span<const PairingTerm<C>>(terms));
  for (std::size_t i = 0; i < claims.size(); ++i) {
    if (!verdicts[i].reason.empty()) continue;
    verdicts[i] = all ? Verdict{true, {}} : verify(claims[i].inputs, claims[i].proof);
  }
  return verdicts;
}

template <class C>
Verdict verify(const VerifyingKey<C>& key, std::span<const Scalar> inputs, const Proof<C>& proof) {
  const auto verifier = Verifier<C>::create(key);
  if (!verifier) return {false, verifier.error().what};
  return verifier->verify(inputs, proof);
}

template <class C>
std::array<files::Integer, 12> alphabeta(const VerifyingKey<C>& key) {
  const auto value = curve::pairing<C>(key.alpha1, key.beta2);
  std::array<files::Integer, 12> integers{};
  std::size_t next = 0;
  for (const auto* half : {&value.c0, &value.c1}) {
    for (const auto* pair : {&half->c0, &half->c1, &half->c2}) {
      for (const auto* coefficient : {&pair->c0, &pair->c1})
        std::ranges::copy(coefficient->plain(), integers[next++].begin());
    }
  }
  return integers;
}

#define PROVER_INSTANTIATE(C)                                                                   \
  template class Verifier<C>;                                                                   \
  template Verdict verify<C>(const VerifyingKey<C>&, std::span<const Scalar>, const Proof<C>&); \
  template std::array<files::Integer, 12> alphabeta<C>(const VerifyingKey<C>&);
PROVER_INSTANTIATE(Bn254)
PROVER_INSTANTIATE(Bls12_381)
#undef PROVER_INSTANTIATE

}  // namespace prover::groth16
