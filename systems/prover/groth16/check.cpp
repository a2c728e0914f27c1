// SPDX-License-Identifier: Apache-2.0
#include "prover/groth16/check.hpp"

#include <fmt/format.h>

#include <cstring>
#include <optional>

#include "prover/base/parallel.hpp"
#include "prover/curve/subgroup.hpp"
#include "prover/groth16/proof.hpp"
#include "prover/groth16/random.hpp"
#include "prover/msm/msm.hpp"

namespace prover::groth16 {
namespace {

using files::Bytes;
using files::ZkeySection;

// How many sums with coefficients below 256 leave a point outside its group unnoticed with a
// probability below 2^-64. A coefficient hides such a point when it is 0 modulo the prime divisor
// of the cofactor that divides the point's order: at most 86 of 256 for 3 (G1 of BLS12-381), 20 of
// 256 for 13 (its G2), 1 of 256 for primes beyond 256 (the twist of BN254, from 10069 on).
template <class Group>
constexpr unsigned kRounds = 0;
template <>
constexpr unsigned kRounds<curve::Bn254::G1> = 0;
template <>
constexpr unsigned kRounds<curve::Bn254::G2> = 8;
template <>
constexpr unsigned kRounds<curve::Bls12_381::G1> = 41;
template <>
constexpr unsigned kRounds<curve::Bls12_381::G2> = 18;

// So many points are looked at one by one: random sums would take longer.
constexpr std::size_t kFew = 512;

template <class C>
class Checker {
 public:
  using Fr = typename C::Fr;
  using G1 = typename C::G1;
  using G2 = typename C::G2;

  Checker(const files::Zkey& key, const CheckOptions& options) : key_(key), options_(options) {}

  Result<std::vector<Error>> run() {
    check_header();
    const struct {
      const char* name;
      ZkeySection section;
      Bytes points;
    } sections[] = {{"IC", ZkeySection::ic, key_.ic},
                    {"A", ZkeySection::a, key_.a},
                    {"B1", ZkeySection::b1, key_.b1},
                    {"C", ZkeySection::c, key_.c},
                    {"H", ZkeySection::h, key_.h}};
    if (auto done = announce("coefficients"); !done) return fail(done.error());
    if (auto good = files::check_coefficients(key_); !good) faults_.push_back(good.error());
    for (const auto& [name, section, points] : sections) {
      if (auto done = announce(name); !done) return fail(done.error());
      if (auto done = check_points<G1>(section, points); !done) return fail(done.error());
    }
    check_ic();
    if (auto done = announce("B2"); !done) return fail(done.error());
    if (auto done = check_points<G2>(ZkeySection::b2, key_.b2); !done) return fail(done.error());
    if (!faults_.empty()) return std::move(faults_);  // pairings of wrong points say nothing
    if (auto done = announce("B1 and B2"); !done) return fail(done.error());
    if (auto done = check_same_multiples(); !done) return fail(done.error());
    return std::move(faults_);
  }

 private:
  Result<void> announce(const char* what) const {
    if (!options_.progress || options_.progress(what)) return {};
    return fail(ErrorKind::cancelled, "stopped before all was checked");
  }

  void fault(std::string what, std::string where) {
    faults_.push_back({std::move(what), std::move(where), "", ErrorKind::usage});
  }

  template <class Group>
  void check_header_point(const char* name, Bytes bytes) {
    const auto point = curve::Affine<typename Group::Coordinate>::load(bytes.data());
    const std::string where = key_.where(ZkeySection::header);
    if (!is_on_curve(point, Group::b()))
      fault(fmt::format("{} is not on the curve", name), where);
    else if (!curve::is_in_subgroup<C>(point))
      fault(fmt::format("{} is not in the group of order r", name), where);
    else if (point.is_infinity())
      fault(fmt::format("{} is infinity", name), where);
  }

  void check_header() {
    check_header_point<G1>("alpha1", key_.alpha1);
    check_header_point<G1>("beta1", key_.beta1);
    check_header_point<G1>("delta1", key_.delta1);
    check_header_point<G2>("beta2", key_.beta2);
    check_header_point<G2>("gamma2", key_.gamma2);
    check_header_point<G2>("delta2", key_.delta2);
  }

  // An IC at infinity would leave a public value out of what is proven.
  void check_ic() {
    constexpr std::size_t kBytes = G1Point<C>::kBytes;
    for (std::size_t i = 0; i < key_.ic.size() / kBytes; ++i)
      if (G1Point<C>::load(key_.ic.data() + i * kBytes).is_infinity())
        fault(fmt::format("point {} is infinity, which binds no public value", i),
              key_.where(ZkeySection::ic, i * kBytes));
  }

  // One byte for each point, as scalars.
  static Result<std::vector<msm::Scalar>> coefficients(std::size_t count) {
    std::vector<std::byte> bytes(count);
    if (auto done = random_bytes(bytes); !done) return fail(done.error());
    std::vector<msm::Scalar> scalars(count);
    for (std::size_t i = 0; i < count; ++i)
      scalars[i] = field::from_word<4>(static_cast<std::uint64_t>(bytes[i]));
    return scalars;
  }

  template <class Group>
  auto sum_with(const std::vector<msm::Scalar>& scalars, Bytes points) const {
    const msm::Digits digits(scalars, Fr::kModulus, 9, options_.threads);
    return msm::multiply<Group>({points, 0}, digits, options_.threads);
  }

  template <class Group>
  Result<void> check_points(ZkeySection section, Bytes points) {
    using Point = curve::Affine<typename Group::Coordinate>;
    if (const auto bad = msm::first_bad_point<Group>(points, options_.threads)) {
      fault(fmt::format("point {} is not on the curve", *bad),
            key_.where(section, *bad * Point::kBytes));
      return {};
    }
    if (points.size() / Point::kBytes <= kFew) return check_few<Group>(section, points);
    for (unsigned round = 0; round < kRounds<Group>; ++round) {
      const auto scalars = coefficients(points.size() / Point::kBytes);
      if (!scalars) return fail(scalars.error());
      if (curve::is_in_subgroup<C>(sum_with<Group>(*scalars, points).affine())) continue;
      const std::size_t bad = first_outside<Point>(points);
      fault(fmt::format("point {} is not in the group of order r", bad),
            key_.where(section, bad * Point::kBytes));
      return {};
    }
    return {};
  }

  // One by one.
  template <class Group>
  Result<void> check_few(ZkeySection section, Bytes points) {
    using Point = curve::Affine<typename Group::Coordinate>;
    const std::size_t bad = first_outside<Point>(points);
    if (bad < points.size() / Point::kBytes)
      fault(fmt::format("point {} is not in the group of order r", bad),
            key_.where(section, bad * Point::kBytes));
    return {};
  }

  // The first point outside its group; their number when there is none.
  template <class Point>
  std::size_t first_outside(Bytes points) const {
    const std::size_t count = points.size() / Point::kBytes;
    return parallel_find(options_.threads, count, 256, [&](std::size_t i, std::size_t end) {
      while (i < end && curve::is_in_subgroup<C>(Point::load(points.data() + i * Point::kBytes)))
        ++i;
      return i;
    });
  }

  // e(p, G2's generator) = e(G1's generator, q)
  static bool same_multiple(const G1Point<C>& p, const G2Point<C>& q) {
    const auto generator = curve::prepare<C>(C::G2::generator()), other = curve::prepare<C>(q);
    const curve::PairingTerm<C> terms[] = {{p, &generator}, {-C::G1::generator(), &other}};
    return curve::pairing_product_is_one<C>(terms);
  }

  Result<void> check_same_multiples() {
    const std::string header = key_.where(ZkeySection::header);
    if (!same_multiple(G1Point<C>::load(key_.beta1.data()), G2Point<C>::load(key_.beta2.data())))
      fault("beta1 and beta2 are different multiples of the generators", header);
    if (!same_multiple(G1Point<C>::load(key_.delta1.data()), G2Point<C>::load(key_.delta2.data())))
      fault("delta1 and delta2 are different multiples of the generators", header);
    std::vector<msm::Scalar> scalars(key_.wires);
    std::vector<std::byte> bytes(16 * scalars.size());
    if (auto done = random_bytes(bytes); !done) return done;
    for (std::size_t i = 0; i < scalars.size(); ++i)
      std::memcpy(scalars[i].data(), bytes.data() + 16 * i, 16);  // below 2^128
    const msm::Digits digits(scalars, Fr::kModulus,
                             msm::best_window(scalars.size(), Fr::kModulus, options_.threads),
                             options_.threads);
    const auto b1 = msm::multiply<G1>({key_.b1, 0}, digits, options_.threads);
    const auto b2 = msm::multiply<G2>({key_.b2, 0}, digits, options_.threads);
    if (!same_multiple(b1.affine(), b2.affine()))
      fault("B1 and B2 are not the same multiples of the generators", key_.where(ZkeySection::b2));
    return {};
  }

  const files::Zkey& key_;
  const CheckOptions& options_;
  std::vector<Error> faults_;
};

}  // namespace

Result<std::vector<Error>> check(const files::Zkey& key, const CheckOptions& options) {
  return key.curve == CurveId::bn254 ? Checker<curve::Bn254>(key, options).run()
                                     : Checker<curve::Bls12_381>(key, options).run();
}

}  // namespace prover::groth16
