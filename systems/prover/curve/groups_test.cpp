// SPDX-License-Identifier: Apache-2.0
// Generators, orders and group laws of the four groups.
#include "prover/curve/groups.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace prover::curve {
namespace {

template <class Group_, class Fr_>
struct Case {
  using Group = Group_;
  using Fr = Fr_;
};

template <class C>
class GroupTest : public testing::Test {
 protected:
  using F = typename C::Group::Coordinate;
  using J = Jacobian<F>;
  static J multiple(std::uint64_t n) {
    return J::from(C::Group::generator()).times(field::from_word<1>(n));
  }
};

using Groups =
    testing::Types<Case<Bn254::G1, Bn254::Fr>, Case<Bn254::G2, Bn254::Fr>,
                   Case<Bls12_381::G1, Bls12_381::Fr>, Case<Bls12_381::G2, Bls12_381::Fr>>;
TYPED_TEST_SUITE(GroupTest, Groups);

TYPED_TEST(GroupTest, generator_is_on_the_curve_and_has_order_r) {
  using Group = typename TypeParam::Group;
  using Fr = typename TypeParam::Fr;
  const auto g = Group::generator();
  EXPECT_TRUE(is_on_curve(g, Group::b()));
  EXPECT_TRUE(Jacobian<typename Group::Coordinate>::from(g).times(Fr::kModulus).is_infinity());
}

TYPED_TEST(GroupTest, affine_round_trip_and_infinity) {
  using Point = typename TestFixture::J;
  EXPECT_TRUE(Point::infinity().affine().is_infinity());
  EXPECT_TRUE(Point::from(Point::infinity().affine()).is_infinity());
  EXPECT_TRUE(is_on_curve(Point::infinity().affine(), TypeParam::Group::b()));
  const auto p = this->multiple(12345).affine();
  EXPECT_TRUE(is_on_curve(p, TypeParam::Group::b()));
  EXPECT_EQ(Point::from(p), this->multiple(12345));
  std::vector<std::byte> bytes(p.kBytes + 3);
  p.store(bytes.data() + 3);
  EXPECT_EQ(decltype(p)::load(bytes.data() + 3), p);
}

TYPED_TEST(GroupTest, sums_agree_with_multiples_in_every_representation) {
  const std::vector<std::uint64_t> numbers = {0, 1, 2, 3, 5, 8, 1000003};
  for (const std::uint64_t a : numbers) {
    for (const std::uint64_t b : numbers) {
      const auto p = this->multiple(a), q = this->multiple(b);
      EXPECT_EQ(p + q, this->multiple(a + b)) << a << " + " << b;
      EXPECT_EQ(p + q.affine(), this->multiple(a + b)) << a << " + " << b;
      EXPECT_EQ((p + q) - q, p);
    }
    EXPECT_EQ(this->multiple(a).doubled(), this->multiple(2 * a));
    EXPECT_TRUE((this->multiple(a) - this->multiple(a)).is_infinity());
    EXPECT_TRUE((this->multiple(a) + (-this->multiple(a).affine())).is_infinity());
  }
}

TYPED_TEST(GroupTest, a_wrong_point_is_noticed) {
  auto p = this->multiple(7).affine();
  p.y += decltype(p.y)::one();
  EXPECT_FALSE(is_on_curve(p, TypeParam::Group::b()));
}

// The twist of BN254 is y^2 = x^3 + 3 / (9 + u).
TEST(Bn254, twist_constant) {
  const Bn254::Fq2 xi{Bn254::Fq::from_word(9), Bn254::Fq::one()};
  EXPECT_EQ(Bn254::G2::b() * xi, Bn254::Fq2::from_word(3));
}

}  // namespace
}  // namespace prover::curve
