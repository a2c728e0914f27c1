// SPDX-License-Identifier: Apache-2.0
#include "prover/groth16/sums.hpp"

#include <fmt/format.h>

#include <cstring>

#include "prover/groth16/random.hpp"
#include "prover/msm/msm.hpp"

namespace prover::groth16 {
namespace {

using files::ZkeySection;
using msm::Digits;
using msm::Scalar;

constexpr const char* kDamaged =
    "the key is damaged, or its maker lies; 'prover check' looks at all of it";

template <class Group>
Result<void> check_header_point(const files::Zkey& key, files::Bytes bytes, const char* name) {
  const auto point = curve::Affine<typename Group::Coordinate>::load(bytes.data());
  if (is_on_curve(point, Group::b())) return {};
  return fail(ErrorKind::usage, fmt::format("{} is not on the curve", name),
              key.where(ZkeySection::header), kDamaged);
}

}  // namespace

Error off_curve(const files::Zkey& key, ZkeySection section, std::size_t index,
                std::size_t point_bytes) {
  return {fmt::format("point {} is not on the curve", index),
          key.where(section, index * point_bytes), kDamaged, ErrorKind::usage};
}

template <class C>
Result<void> check_header(const files::Zkey& key) {
  using G1 = typename C::G1;
  using G2 = typename C::G2;
  if (auto ok = check_header_point<G1>(key, key.alpha1, "alpha1"); !ok) return ok;
  if (auto ok = check_header_point<G1>(key, key.beta1, "beta1"); !ok) return ok;
  if (auto ok = check_header_point<G1>(key, key.delta1, "delta1"); !ok) return ok;
  if (auto ok = check_header_point<G2>(key, key.beta2, "beta2"); !ok) return ok;
  if (auto ok = check_header_point<G2>(key, key.delta2, "delta2"); !ok) return ok;
  return check_header_point<G2>(key, key.gamma2, "gamma2");
}

template <class C>
Digits KeySums<C>::cut(std::span<const Scalar> scalars) const {
  std::size_t large = 0;
  for (const Scalar& scalar : scalars)
    if (scalar[0] > 1 || (scalar[1] | scalar[2] | scalar[3]) != 0) ++large;
  const unsigned window =
      options_.window.value_or(msm::best_window(large, Fr::kModulus, options_.threads));
  return Digits(scalars, Fr::kModulus, window, options_.threads);
}

template <class C>
template <class Group>
Result<curve::Jacobian<typename Group::Coordinate>> KeySums<C>::multiply(
    const char* name, ZkeySection section, files::Bytes points, std::size_t first,
    const Digits& digits, Stages& stages, const std::stop_token& stop) const {
  const Stages::Scope stage(stages, name);
  if (options_.check_points)
    if (const auto bad = msm::first_bad_point<Group>(points, options_.threads))
      return fail(
          off_curve(key_, section, *bad, curve::Affine<typename Group::Coordinate>::kBytes));
  const auto sum = msm::multiply<Group>({points, first}, digits, options_.threads, stop);
  if (stop.stop_requested()) return fail(ErrorKind::cancelled, "stopped");
  if (options_.release != nullptr) options_.release->advise(points, files::Use::done);
  return sum;
}

template <class C>
Result<Sum1<C>> KeySums<C>::a(const Digits& witness, Stages& stages,
                              const std::stop_token& stop) const {
  return multiply<typename C::G1>("msm_a", ZkeySection::a, key_.a, 0, witness, stages, stop);
}
template <class C>
Result<Sum1<C>> KeySums<C>::b1(const Digits& witness, Stages& stages,
                               const std::stop_token& stop) const {
  return multiply<typename C::G1>("msm_b1", ZkeySection::b1, key_.b1, 0, witness, stages, stop);
}
template <class C>
Result<Sum2<C>> KeySums<C>::b2(const Digits& witness, Stages& stages,
                               const std::stop_token& stop) const {
  return multiply<typename C::G2>("msm_b2", ZkeySection::b2, key_.b2, 0, witness, stages, stop);
}
template <class C>
Result<Sum1<C>> KeySums<C>::c(const Digits& witness, Stages& stages,
                              const std::stop_token& stop) const {
  const std::size_t first_private = std::size_t{key_.publics} + 1;
  return multiply<typename C::G1>("msm_c", ZkeySection::c, key_.c, first_private, witness, stages,
                                  stop);
}
template <class C>
Result<Sum1<C>> KeySums<C>::h(const Digits& quotient, Stages& stages,
                              const std::stop_token& stop) const {
  return multiply<typename C::G1>("msm_h", ZkeySection::h, key_.h, 0, quotient, stages, stop);
}

template <class C>
Result<Proof<C>> assemble(const files::Zkey& key, const Sums<C>& sums) {
  using Fr = typename C::Fr;
  auto r = random_scalar<Fr>();
  if (!r) return fail(r.error());
  auto s = random_scalar<Fr>();
  if (!s) return fail(s.error());
  const auto alpha1 = G1Point<C>::load(key.alpha1.data()),
             beta1 = G1Point<C>::load(key.beta1.data());
  const auto beta2 = G2Point<C>::load(key.beta2.data());
  const auto delta = Sum1<C>::from(G1Point<C>::load(key.delta1.data()));
  const auto delta2 = Sum2<C>::from(G2Point<C>::load(key.delta2.data()));
  const Sum1<C> a = sums.a + alpha1 + delta.times(r->plain());
  const Sum1<C> b1 = sums.b1 + beta1 + delta.times(s->plain());
  const Sum2<C> b = sums.b2 + beta2 + delta2.times(s->plain());
  const Sum1<C> c =
      sums.c + a.times(s->plain()) + b1.times(r->plain()) - delta.times((*r * *s).plain());
  explicit_bzero(&*r, sizeof *r);
  explicit_bzero(&*s, sizeof *s);
  return Proof<C>{a.affine(), b.affine(), c.affine()};
}

#define PROVER_INSTANTIATE(C)                                \
  template Result<void> check_header<C>(const files::Zkey&); \
  template class KeySums<C>;                                 \
  template Result<Proof<C>> assemble<C>(const files::Zkey&, const Sums<C>&);
PROVER_INSTANTIATE(curve::Bn254)
PROVER_INSTANTIATE(curve::Bls12_381)
#undef PROVER_INSTANTIATE

}  // namespace prover::groth16
