// SPDX-License-Identifier: Apache-2.0
// The kernels of every group and instruction set against additions one by one.
#include <gtest/gtest.h>

#include "prover/msm/kernels.hpp"
#include "prover/msm/test_points.hpp"

namespace prover::msm {
namespace {

constexpr std::size_t kPoints = 64;  // 0 G .. 63 G

template <class Group>
class AddPairsTest : public testing::Test {
 protected:
  // The numbers n of the points n G that index names.
  static std::int64_t number(std::uint32_t index) {
    const auto n = static_cast<std::int64_t>(index & ~kNegate);
    return (index & kNegate) != 0 ? -n : n;
  }
  static Point<Group> multiple(std::int64_t n) {
    const auto point = times_generator<Group>(static_cast<std::uint64_t>(n < 0 ? -n : n)).affine();
    return n < 0 ? -point : point;
  }
  template <class Check>
  static void for_every_isa(Check check) {
    for (const field::Isa isa : {field::Isa::portable, field::Isa::adx, field::Isa::ifma}) {
      if (isa > field::best_isa()) continue;
      SCOPED_TRACE(field::isa_name(isa));
      check(add_pairs<Group>(isa));
    }
  }
};

using Groups =
    testing::Types<curve::Bn254::G1, curve::Bn254::G2, curve::Bls12_381::G1, curve::Bls12_381::G2>;
TYPED_TEST_SUITE(AddPairsTest, Groups);

// Infinity, equal, opposite and plain pairs, shifted so that each falls into every lane.
TYPED_TEST(AddPairsTest, every_case_in_every_position) {
  const auto table = first_multiples<TypeParam>(kPoints);
  const auto bytes = to_bytes<TypeParam>(table, 4);
  std::mt19937 random(1);
  for (const std::size_t count : {0u, 1u, 2u, 7u, 8u, 9u, 16u, 31u, 100u, 1030u}) {
    std::vector<std::uint32_t> left, right;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t a = random() % 8, b = random() % 8;  // small: many special pairs
      left.push_back(a | (random() % 2 != 0 ? kNegate : 0));
      right.push_back(b | (random() % 2 != 0 ? kNegate : 0));
    }
    this->for_every_isa([&](AddPairs add) {
      std::vector<std::byte> sums(count * Point<TypeParam>::kBytes);
      add({bytes.data() + 4, left.data()}, {bytes.data() + 4, right.data()}, sums.data(), nullptr,
          count);
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_EQ(Point<TypeParam>::load(sums.data() + i * Point<TypeParam>::kBytes),
                  this->multiple(this->number(left[i]) + this->number(right[i])))
            << i << " of " << count << ": " << this->number(left[i]) << " + "
            << this->number(right[i]);
      }
    });
  }
}

TYPED_TEST(AddPairsTest, one_kind_only) {
  const auto bytes = to_bytes<TypeParam>(first_multiples<TypeParam>(kPoints));
  constexpr std::size_t kCount = 600;
  const struct {
    std::uint32_t left, right;
    std::int64_t sum;
  } cases[] = {{5, 5, 10}, {5, 5 | kNegate, 0},  {0, 0, 0},
               {0, 7, 7},  {7 | kNegate, 0, -7}, {3, 4, 7}};
  for (const auto& c : cases) {
    const std::vector<std::uint32_t> left(kCount, c.left), right(kCount, c.right);
    const auto expected = this->multiple(c.sum);
    this->for_every_isa([&](AddPairs add) {
      std::vector<std::byte> sums(kCount * Point<TypeParam>::kBytes);
      add({bytes.data(), left.data()}, {bytes.data(), right.data()}, sums.data(), nullptr, kCount);
      for (std::size_t i = 0; i < kCount; ++i)
        ASSERT_EQ(Point<TypeParam>::load(sums.data() + i * Point<TypeParam>::kBytes), expected);
    });
  }
}

// Neighbours are summed into the front half of their own array.
TYPED_TEST(AddPairsTest, in_place) {
  const auto table = first_multiples<TypeParam>(kPoints);
  constexpr std::size_t kCount = 1500;
  std::vector<Point<TypeParam>> points;
  std::vector<std::uint32_t> left, right;
  for (std::uint32_t i = 0; i < 2 * kCount; ++i) points.push_back(table[i * 7 % 61]);
  for (std::uint32_t i = 0; i < kCount; ++i) {
    left.push_back(2 * i);
    right.push_back(2 * i + 1);
  }
  this->for_every_isa([&](AddPairs add) {
    auto bytes = to_bytes<TypeParam>(points);
    add({bytes.data(), left.data()}, {bytes.data(), right.data()}, bytes.data(), nullptr, kCount);
    for (std::size_t i = 0; i < kCount; ++i)
      ASSERT_EQ(Point<TypeParam>::load(bytes.data() + i * Point<TypeParam>::kBytes),
                this->multiple(static_cast<std::int64_t>(2 * i * 7 % 61 + (2 * i + 1) * 7 % 61)));
  });
}

// To places of its own, each the left operand too: what buckets do.
TYPED_TEST(AddPairsTest, into_buckets) {
  const auto table = first_multiples<TypeParam>(kPoints);
  const auto bytes = to_bytes<TypeParam>(table);
  std::vector<std::uint32_t> buckets, addends;
  for (std::uint32_t i = 0; i < 40; ++i) {
    buckets.push_back(i * 23 % kPoints);
    addends.push_back(i | (i % 3 == 0 ? kNegate : 0));
  }
  this->for_every_isa([&](AddPairs add) {
    auto sums = bytes;
    add({sums.data(), buckets.data()}, {bytes.data(), addends.data()}, sums.data(), buckets.data(),
        buckets.size());
    for (std::size_t i = 0; i < buckets.size(); ++i)
      EXPECT_EQ(Point<TypeParam>::load(sums.data() + buckets[i] * Point<TypeParam>::kBytes),
                this->multiple(static_cast<std::int64_t>(buckets[i]) + this->number(addends[i])));
  });
}

// Large coordinates, not only small multiples: sums of sums, all instruction sets the same bytes.
TYPED_TEST(AddPairsTest, all_instruction_sets_give_the_same_bytes) {
  std::vector<Point<TypeParam>> points;
  Sum<TypeParam> sum = times_generator<TypeParam>(0x123456789abcdef);
  for (int i = 0; i < 400; ++i) {
    points.push_back(sum.affine());
    sum = sum.doubled() + points.front();
  }
  const auto bytes = to_bytes<TypeParam>(points);
  std::vector<std::byte> first;
  this->for_every_isa([&](AddPairs add) {
    std::vector<std::byte> sums(399 * Point<TypeParam>::kBytes);
    add({bytes.data(), nullptr}, {bytes.data() + Point<TypeParam>::kBytes, nullptr}, sums.data(),
        nullptr, 399);
    if (first.empty()) first = sums;
    EXPECT_EQ(first, sums);
  });
}

}  // namespace
}  // namespace prover::msm
