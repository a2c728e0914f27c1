// SPDX-License-Identifier: Apache-2.0
// Against a naive sum for small sizes, against a sum known in advance for large ones (the i-th
// point is i G), and on the distributions that hurt.
#include "prover/msm/msm.hpp"

#include <gtest/gtest.h>

#include "prover/msm/test_points.hpp"

namespace prover::msm {
namespace {

template <class C, class Group_>
struct Case {
  using Group = Group_;
  using Fr = typename C::Fr;
  using Base = typename C::Fq;
};

template <class C>
class MsmTest : public testing::Test {
 protected:
  using Points = typename C::Group;
  using Scalars = typename C::Fr;

  static Scalar random_scalar(std::mt19937_64& random) {
    return {random(), random(), random(), random() % Scalars::kModulus[3]};
  }
  // sum of scalar[i] * (first + i) G, told by arithmetic in Fr.
  static Sum<Points> known(const std::vector<Scalar>& scalars) {
    Scalars sum = Scalars::zero();
    for (std::size_t i = 0; i < scalars.size(); ++i)
      sum += Scalars::from_plain(scalars[i]) * Scalars::from_word(i);
    return Sum<Points>::from(Points::generator()).times(sum.plain());
  }
  static void check(const std::vector<Scalar>& scalars, const std::vector<std::byte>& points,
                    const Sum<Points>& expected, unsigned window) {
    for (const unsigned threads : {1u, 3u}) {
      const Digits digits(scalars, Scalars::kModulus, window, threads);
      EXPECT_EQ(multiply<Points>({points, 0}, digits, threads), expected)
          << scalars.size() << " scalars, window " << window << ", threads " << threads;
    }
  }
};

using Cases =
    testing::Types<Case<curve::Bn254, curve::Bn254::G1>, Case<curve::Bn254, curve::Bn254::G2>,
                   Case<curve::Bls12_381, curve::Bls12_381::G1>,
                   Case<curve::Bls12_381, curve::Bls12_381::G2>>;
TYPED_TEST_SUITE(MsmTest, Cases);

TYPED_TEST(MsmTest, small_against_naive) {
  using Group = typename TypeParam::Group;
  std::mt19937_64 random(3);
  for (const std::size_t count : {0u, 1u, 2u, 3u, 17u}) {
    std::vector<Scalar> scalars;
    Sum<Group> expected = Sum<Group>::infinity();
    const auto points = first_multiples<Group>(count);
    for (std::size_t i = 0; i < count; ++i) {
      scalars.push_back(this->random_scalar(random));
      expected += Sum<Group>::from(points[i]).times(scalars.back());
    }
    for (const unsigned window : {2u, 5u, 9u, 13u})
      this->check(scalars, to_bytes<Group>(points), expected, window);
  }
}

TYPED_TEST(MsmTest, distributions_that_hurt) {
  using Group = typename TypeParam::Group;
  using Fr = typename TypeParam::Fr;
  constexpr std::size_t kCount = 300;
  const auto points = to_bytes<Group>(first_multiples<Group>(kCount));
  std::mt19937_64 random(4);
  const Scalar any = this->random_scalar(random), minus_one = (-Fr::one()).plain();
  const std::vector<std::vector<Scalar>> cases = {
      std::vector<Scalar>(kCount, Scalar{}),                 // all zero
      std::vector<Scalar>(kCount, field::from_word<4>(1)),   // all one
      std::vector<Scalar>(kCount, minus_one),                // all p - 1
      std::vector<Scalar>(kCount, any),                      // all equal
      std::vector<Scalar>(kCount, field::from_word<4>(77)),  // one bucket
  };
  for (const auto& scalars : cases) this->check(scalars, points, this->known(scalars), 8);
  std::vector<Scalar> mixed;
  for (std::size_t i = 0; i < kCount; ++i) {
    const std::uint64_t kind = random() % 4;
    mixed.push_back(kind == 0   ? Scalar{}
                    : kind == 1 ? field::from_word<4>(1)
                    : kind == 2 ? minus_one
                                : this->random_scalar(random));
  }
  this->check(mixed, points, this->known(mixed), 7);
}

TYPED_TEST(MsmTest, repeated_negated_and_infinite_points) {
  using Group = typename TypeParam::Group;
  constexpr std::size_t kCount = 200;
  const auto multiples = first_multiples<Group>(4);
  std::vector<Point<Group>> points;
  std::vector<Scalar> scalars;
  Sum<Group> expected = Sum<Group>::infinity();
  std::mt19937_64 random(5);
  for (std::size_t i = 0; i < kCount; ++i) {
    const auto& point = multiples[random() % 4];  // 0 G is infinity
    points.push_back(random() % 2 == 0 ? point : -point);
    scalars.push_back(field::from_word<4>(random() % 50));
    expected += Sum<Group>::from(points.back()).times(scalars.back());
  }
  this->check(scalars, to_bytes<Group>(points), expected, 4);
  // P and -P with the same scalar: every bucket ends at infinity.
  std::vector<Point<Group>> opposite;
  for (std::size_t i = 0; i < kCount; ++i)
    opposite.push_back(i % 2 == 0 ? multiples[3] : -multiples[3]);
  this->check(std::vector<Scalar>(kCount, this->random_scalar(random)), to_bytes<Group>(opposite),
              Sum<Group>::infinity(), 6);
}

TYPED_TEST(MsmTest, a_table_of_a_part_of_the_scalars) {
  using Group = typename TypeParam::Group;
  using Fr = typename TypeParam::Fr;
  constexpr std::size_t kFirst = 5, kPoints = 40;
  const auto points = to_bytes<Group>(first_multiples<Group>(kPoints), 1);  // odd alignment
  std::mt19937_64 random(6);
  std::vector<Scalar> scalars;
  Fr sum = Fr::zero();
  for (std::size_t i = 0; i < kFirst + kPoints + 7; ++i) {
    scalars.push_back(i % 3 == 0 ? field::from_word<4>(1) : this->random_scalar(random));
    if (i >= kFirst && i < kFirst + kPoints)
      sum += Fr::from_plain(scalars.back()) * Fr::from_word(i - kFirst);
  }
  const Digits digits(scalars, Fr::kModulus, 6, 2);
  EXPECT_EQ(multiply<Group>({std::span(points).subspan(1), kFirst}, digits, 2),
            Sum<Group>::from(Group::generator()).times(sum.plain()));
}

TYPED_TEST(MsmTest, every_instruction_set_and_many_tiles) {
  using Group = typename TypeParam::Group;
  using Fr = typename TypeParam::Fr;
  const std::size_t count = 20000;
  const auto points = to_bytes<Group>(first_multiples<Group>(count));
  std::mt19937_64 random(7);
  std::vector<Scalar> scalars;
  for (std::size_t i = 0; i < count; ++i)
    scalars.push_back(i % 16 == 0 ? this->random_scalar(random)
                                  : field::from_word<4>(random() % 999));
  const auto expected = this->known(scalars);
  for (const field::Isa isa : {field::Isa::portable, field::Isa::adx, field::Isa::ifma}) {
    if (isa > field::best_isa()) continue;
    field::use_isa(isa);
    const Digits digits(scalars, Fr::kModulus, best_window(count, Fr::kModulus, 2), 2);
    EXPECT_EQ(multiply<Group>({points, 0}, digits, 2), expected) << field::isa_name(isa);
  }
  field::use_isa(field::best_isa());
}

// Every byte of a point in every lane and behind the last full vector; a coordinate at the modulus.
TYPED_TEST(MsmTest, bad_points_are_found) {
  using Group = typename TypeParam::Group;
  using Base = typename TypeParam::Base;
  constexpr std::size_t kBytes = Point<Group>::kBytes;
  const auto sound = to_bytes<Group>(first_multiples<Group>(37), 4);
  for (const field::Isa isa : {field::Isa::portable, field::Isa::adx, field::Isa::ifma}) {
    if (isa > field::best_isa()) continue;
    SCOPED_TRACE(field::isa_name(isa));
    const auto first_off_curve = kernels<Group>(isa).first_off_curve;
    const auto first_bad = [&](const std::vector<std::byte>& points) {
      return first_off_curve(points.data() + 4, 37);
    };
    EXPECT_EQ(first_bad(sound), 37u);
    EXPECT_EQ(first_off_curve(sound.data() + 4, 0), 0u);
    for (std::size_t i = 0; i < 37; ++i) {
      auto points = sound;
      points[4 + i * kBytes + i * 5 % kBytes] ^= std::byte{1};
      EXPECT_EQ(first_bad(points), i);
      points[4 + 20 * kBytes + 3] ^= std::byte{0x80};
      EXPECT_EQ(first_bad(points), std::min<std::size_t>(i, 20));
    }
    // x + p and y + p stand for the same residues, where the bytes have room for them.
    for (std::size_t at = 0; at < kBytes; at += Base::kBytes) {
      auto points = sound;
      std::byte* const coordinate = points.data() + 4 + 11 * kBytes + at;
      auto limbs = field::load_limbs<Base::kLimbs>(coordinate);
      ASSERT_EQ(field::add_to(limbs, Base::kModulus), 0u);
      field::store_limbs(coordinate, limbs);
      EXPECT_EQ(first_bad(points), 11u) << at;
    }
  }
}

TYPED_TEST(MsmTest, the_first_bad_point_of_many) {
  using Group = typename TypeParam::Group;
  std::vector<Point<Group>> many;
  const auto few = first_multiples<Group>(64);
  for (std::size_t i = 0; i < 20000; ++i) many.push_back(few[i % 64]);
  auto points = to_bytes<Group>(many);
  EXPECT_EQ(first_bad_point<Group>(points, 3), std::nullopt);
  for (const std::size_t bad : {19999u, 15000u, 4096u, 4095u}) {
    points[bad * Point<Group>::kBytes] ^= std::byte{1};
    EXPECT_EQ(first_bad_point<Group>(points, 3), bad);
  }
}

TEST(BestWindow, grows_with_the_scalars) {
  unsigned last = 0;
  for (unsigned log = 0; log <= 24; log += 4) {
    const unsigned window = best_window(std::size_t{1} << log, field::Bn254Fr::kModulus, 2);
    EXPECT_GE(window, last);
    last = window;
  }
  EXPECT_GE(last, 15u);
}

}  // namespace
}  // namespace prover::msm
