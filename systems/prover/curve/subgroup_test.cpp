// SPDX-License-Identifier: Apache-2.0
// The tests by endomorphisms against multiplication by r, on points of whole curves.
#include "prover/curve/subgroup.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <random>

namespace prover::curve {
namespace {

// q = 3 mod 4: a^((q + 1) / 4) is a root when there is one.
template <class P, class M>
std::optional<field::Field<P, M>> square_root(const field::Field<P, M>& a) {
  auto exponent = P::kModulus;
  exponent[0] += 1;
  const auto root = a.pow(field::shift_right(exponent, 2));
  if (root.squared() != a) return std::nullopt;
  return root;
}

template <class F>
std::optional<field::Quadratic<F>> square_root(const field::Quadratic<F>& a) {
  const auto norm = square_root(a.norm());
  if (!norm) return std::nullopt;
  for (const F& half : {(a.c0 + *norm).halved(), (a.c0 - *norm).halved()}) {
    const auto c0 = square_root(half);
    if (!c0 || c0->is_zero()) continue;
    const field::Quadratic<F> root{*c0, a.c1 * c0->doubled().inverse()};
    if (root.squared() == a) return root;
  }
  return std::nullopt;
}

template <class Curve_, class Group_>
struct Case {
  using Curve = Curve_;
  using Group = Group_;
};

template <class Case>
class SubgroupTest : public testing::Test {
 protected:
  using F = typename Case::Group::Coordinate;
  using Point = Affine<F>;
  using J = Jacobian<F>;

  static bool is_in(const Point& p) { return is_in_subgroup<typename Case::Curve>(p); }
  static bool has_order_r(const Point& p) {
    return J::from(p).times(Case::Curve::Fr::kModulus).is_infinity();
  }
  typename Case::Curve::Fq random_fq() {
    typename Case::Curve::Fq::Plain limbs;
    for (std::uint64_t& limb : limbs) limb = random_();
    limbs.back() %= Case::Curve::Fq::kModulus.back();
    return Case::Curve::Fq::from_plain(limbs);
  }
  Point random_point() {
    for (;;) {
      F x;
      if constexpr (std::is_same_v<F, typename Case::Curve::Fq>) {
        x = random_fq();
      } else {
        x = {random_fq(), random_fq()};
      }
      const auto y = square_root(x.squared() * x + Case::Group::b());
      if (!y) continue;
      const Point p{x, *y};
      EXPECT_TRUE(is_on_curve(p, Case::Group::b()));
      return p;
    }
  }

  std::mt19937_64 random_{3};
};

using Groups = testing::Types<Case<Bn254, Bn254::G1>, Case<Bn254, Bn254::G2>,
                              Case<Bls12_381, Bls12_381::G1>, Case<Bls12_381, Bls12_381::G2>>;
TYPED_TEST_SUITE(SubgroupTest, Groups);

TYPED_TEST(SubgroupTest, multiples_of_the_generator_are_in) {
  const auto g = TestFixture::J::from(TypeParam::Group::generator());
  EXPECT_TRUE(this->is_in({}));
  for (const std::uint64_t n : {1u, 2u, 3u, 1000u, 4294967291u}) {
    const auto p = g.times(field::from_word<1>(n)).affine();
    EXPECT_TRUE(this->is_in(p)) << n;
    EXPECT_TRUE(this->is_in(-p)) << n;
  }
}

TYPED_TEST(SubgroupTest, agrees_with_multiplication_by_r) {
  const bool whole = std::is_same_v<typename TypeParam::Group, Bn254::G1>;
  for (int i = 0; i < 20; ++i) {
    const auto p = this->random_point();
    EXPECT_EQ(this->is_in(p), this->has_order_r(p));
    EXPECT_EQ(this->is_in(p), whole);
    // What is left without the part of order r.
    const auto rest = TestFixture::J::from(p).times(TypeParam::Curve::Fr::kModulus).affine();
    EXPECT_EQ(this->is_in(rest), rest.is_infinity());
    // A point of the group is still refused with such a rest added.
    const auto sum = (TestFixture::J::from(rest) + TypeParam::Group::generator()).affine();
    EXPECT_EQ(this->is_in(sum), rest.is_infinity());
  }
}

// Points of the smallest orders there are: 3 and 13 on BLS12-381, 10069 on BN254's twist. A random
// point times r and times the cofactor without that prime (without 13^2: there are two directions
// of order 13) has it as its order, or is infinity.
TYPED_TEST(SubgroupTest, refuses_points_of_small_order) {
  constexpr field::Limbs<8> kBlsCofactorBy169 = {
      0x3336b3150941cfdd, 0xedf4046db800a837, 0x45e0aef29c5e8629, 0x5a5b213dcb710859,
      0x81be2a9b0c648304, 0x60a5f9bdc250555d, 0xd5a3c5663541d68b, 0x8d5fc7522f6c4};
  constexpr field::Limbs<4> kBnCofactorBy10069 = {0x6c3cd334915f1659, 0x207142f7671af448,
                                                  0x9e28bcf65b5681da, 0x13af7a58fce69};
  constexpr field::Limbs<2> kBlsG1CofactorBy3 = {0x2eaae38e55558e39, 0x13242eaac71ca072};
  using Group = typename TypeParam::Group;
  if (std::is_same_v<Group, Bn254::G1>) GTEST_SKIP() << "its cofactor is 1";
  int found = 0;
  for (int i = 0; i < 4; ++i) {
    auto p = TestFixture::J::from(this->random_point()).times(TypeParam::Curve::Fr::kModulus);
    std::uint64_t order = 3;
    if constexpr (std::is_same_v<Group, Bn254::G2>) {
      p = p.times(kBnCofactorBy10069);
      order = 10069;
    } else if constexpr (std::is_same_v<Group, Bls12_381::G2>) {
      p = p.times(kBlsCofactorBy169);
      order = 13;
    } else {
      p = p.times(kBlsG1CofactorBy3);
    }
    EXPECT_TRUE(p.times(field::from_word<1>(order)).is_infinity());
    if (p.is_infinity()) continue;
    ++found;
    EXPECT_FALSE(this->is_in(p.affine()));
  }
  EXPECT_GT(found, 0);
}

}  // namespace
}  // namespace prover::curve
