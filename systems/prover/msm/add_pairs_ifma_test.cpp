// SPDX-License-Identifier: Apache-2.0
// What eight lanes can get wrong and one cannot: the case of one lane must not touch the others,
// and batches, vectors and their remainders must meet. The portable kernel is the reference, byte
// by byte.
#include <gtest/gtest.h>

#include "prover/msm/kernels.hpp"
#include "prover/msm/test_points.hpp"

namespace prover::msm {
namespace {

template <class Group>
class AddPairsIfmaTest : public testing::Test {
 protected:
  static constexpr std::size_t kBytes = Point<Group>::kBytes;
  static constexpr std::uint32_t kPool = 500;  // then infinity

  void SetUp() override {
    if (!field::has_ifma()) GTEST_SKIP() << "this processor has no AVX-512 IFMA";
    std::vector<Point<Group>> points;
    Sum<Group> sum = times_generator<Group>(0xfedcba987654321);
    for (std::uint32_t i = 0; i < kPool; ++i) {
      points.push_back(sum.affine());
      sum = sum.doubled() + points.front();
    }
    points.push_back({});
    pool = to_bytes<Group>(points, 1);
  }

  std::vector<std::byte> pool;
  std::mt19937 random{1};

  std::uint32_t any() {
    return static_cast<std::uint32_t>(random() % kPool) | (random() % 2 != 0 ? kNegate : 0);
  }

  std::vector<std::byte> sums(field::Isa isa, const std::vector<std::uint32_t>& left,
                              const std::vector<std::uint32_t>& right) const {
    std::vector<std::byte> out(left.size() * kBytes);
    add_pairs<Group>(isa)({pool.data() + 1, left.data()}, {pool.data() + 1, right.data()},
                          out.data(), nullptr, left.size());
    return out;
  }
  void expect_same(const std::vector<std::uint32_t>& left,
                   const std::vector<std::uint32_t>& right) const {
    const auto expected = sums(field::Isa::portable, left, right);
    const auto got = sums(field::Isa::ifma, left, right);
    for (std::size_t i = 0; i < left.size(); ++i)
      ASSERT_EQ(std::memcmp(&got[i * kBytes], &expected[i * kBytes], kBytes), 0)
          << i << " of " << left.size() << ": " << left[i] << " and " << right[i];
  }
};

using Groups =
    testing::Types<curve::Bn254::G1, curve::Bn254::G2, curve::Bls12_381::G1, curve::Bls12_381::G2>;
TYPED_TEST_SUITE(AddPairsIfmaTest, Groups);

TYPED_TEST(AddPairsIfmaTest, every_count) {
  std::vector<std::uint32_t> left, right;
  for (std::size_t count = 0; count <= 70; ++count) {
    this->expect_same(left, right);
    if (this->HasFatalFailure()) return;
    left.push_back(this->any());
    right.push_back(this->any());
  }
}

TYPED_TEST(AddPairsIfmaTest, one_special_pair_among_plain_ones) {
  constexpr std::uint32_t kInfinity = TestFixture::kPool;
  const std::pair<std::uint32_t, std::uint32_t> special[] = {
      {5, 5},
      {5 | kNegate, 5 | kNegate},
      {5, 5 | kNegate},
      {5 | kNegate, 5},
      {kInfinity, 5},
      {kInfinity | kNegate, 5 | kNegate},
      {5 | kNegate, kInfinity},
      {5, kInfinity | kNegate},
      {kInfinity, kInfinity | kNegate},
  };
  for (const auto& [a, b] : special) {
    for (std::size_t at = 0; at < 17; ++at) {
      std::vector<std::uint32_t> left, right;
      for (std::size_t i = 0; i < 17; ++i) {
        left.push_back(i == at ? a : static_cast<std::uint32_t>(10 + i) | (i % 3 ? 0 : kNegate));
        right.push_back(i == at ? b : static_cast<std::uint32_t>(50 + i) | (i % 5 ? 0 : kNegate));
      }
      this->expect_same(left, right);
      if (this->HasFatalFailure()) return;
    }
  }
}

// Several batches, with special pairs strewn in, and a remainder at the end of each length.
TYPED_TEST(AddPairsIfmaTest, batches_and_their_ends) {
  for (const std::size_t count : {511u, 512u, 513u, 1023u, 1024u, 1025u, 1033u, 2050u, 3000u}) {
    std::vector<std::uint32_t> left, right;
    for (std::size_t i = 0; i < count; ++i) {
      left.push_back(this->any());
      right.push_back(this->any());
      if (i % 7 == 3) right.back() = left.back();
      if (i % 19 == 5) right.back() = left.back() ^ kNegate;
      if (i % 23 == 8) left.back() = TestFixture::kPool;
    }
    this->expect_same(left, right);
    if (this->HasFatalFailure()) return;
  }
}

// The i-th sum over its own operands, scattered by `to`, and neighbours summed in place.
TYPED_TEST(AddPairsIfmaTest, over_its_operands) {
  constexpr std::uint32_t kCount = 1100;
  std::vector<std::uint32_t> left, right, buckets;
  for (std::uint32_t i = 0; i < 2 * kCount; ++i) left.push_back(this->any());
  for (std::uint32_t i = 0; i < kCount; ++i) {
    right.push_back(this->any());
    buckets.push_back(i * 7 % kCount);
  }
  const std::vector<std::uint32_t> nothing(2 * kCount, TestFixture::kPool);
  const auto table = this->sums(field::Isa::portable, left, nothing);  // signed copies of points
  auto expected = table, got = table;
  for (auto* out : {&expected, &got}) {
    const auto add = add_pairs<TypeParam>(out == &got ? field::Isa::ifma : field::Isa::portable);
    add({out->data(), nullptr}, {out->data() + TestFixture::kBytes, nullptr}, out->data(), nullptr,
        1);
    add({out->data(), buckets.data()}, {this->pool.data() + 1, right.data()}, out->data(),
        buckets.data(), kCount);
  }
  EXPECT_EQ(got, expected);
  std::vector<std::uint32_t> even, odd;
  for (std::uint32_t i = 0; i < kCount; ++i) {
    even.push_back(2 * i);
    odd.push_back(2 * i + 1);
  }
  for (auto* out : {&expected, &got}) {
    const auto add = add_pairs<TypeParam>(out == &got ? field::Isa::ifma : field::Isa::portable);
    add({out->data(), even.data()}, {out->data(), odd.data()}, out->data(), nullptr, kCount);
  }
  EXPECT_EQ(got, expected);
}

// Bytes that are no points: any sums, but none of the neighbours', no fault, nothing written
// beside.
TYPED_TEST(AddPairsIfmaTest, survives_what_is_no_point) {
  constexpr std::size_t kSize = TestFixture::kBytes;
  std::vector<std::byte> ones(16 * kSize, std::byte{0xff}), out(17 * kSize, std::byte{3});
  for (std::size_t i = 0; i < 4; ++i) std::memset(&ones[i * kSize + kSize / 2], 0, kSize / 2);
  const std::vector<std::uint32_t> index = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  add_pairs<TypeParam>(field::Isa::ifma)({ones.data(), index.data()}, {ones.data(), index.data()},
                                         out.data(), nullptr, 16);
  for (std::size_t i = 0; i < kSize; ++i) EXPECT_EQ(out[16 * kSize + i], std::byte{3});

  // x with y = 0, twice: no point of the curve, and no reason to spoil the others.
  auto mixed = this->pool;
  std::memset(&mixed[1 + 9 * kSize + kSize / 2], 0, kSize / 2);
  const std::vector<std::uint32_t> left = {1, 9, 3, 4}, right = {5, 9, 7, 8};
  std::vector<std::byte> got(4 * kSize);
  add_pairs<TypeParam>(field::Isa::ifma)({mixed.data() + 1, left.data()},
                                         {mixed.data() + 1, right.data()}, got.data(), nullptr, 4);
  const auto expected = this->sums(field::Isa::portable, left, right);
  for (const std::size_t i : {0u, 2u, 3u})
    EXPECT_EQ(std::memcmp(&got[i * kSize], &expected[i * kSize], kSize), 0) << i;
}

}  // namespace
}  // namespace prover::msm
