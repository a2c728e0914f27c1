// SPDX-License-Identifier: Apache-2.0
#include "prover/msm/digits.hpp"

#include <gtest/gtest.h>

#include <random>

#include "prover/field/params.hpp"
#include "prover/msm/kernels.hpp"

namespace prover::msm {
namespace {

using field::Bls12_381Fr;
using field::Bn254Fr;

// What the digits of the k-th index say, in the field.
template <class Fr>
Fr value(const Digits& digits, std::size_t k) {
  Fr sum = Fr::zero();
  for (unsigned w = digits.windows(); w-- > 0;) {
    for (unsigned i = 0; i < digits.window(); ++i) sum = sum.doubled();
    const int digit = digits.digits(w)[k];
    const Fr size = Fr::from_word(static_cast<std::uint64_t>(digit < 0 ? -digit : digit));
    sum += digit < 0 ? -size : size;
  }
  return (digits.indices()[k] & kNegate) != 0 ? -sum : sum;
}

template <class Fr>
std::vector<Scalar> scalars() {
  std::vector<Scalar> all;
  for (const std::uint64_t n : {0u, 1u, 2u, 255u, 256u}) {
    all.push_back(Fr::from_word(n).plain());
    all.push_back((-Fr::from_word(n)).plain());
  }
  all.push_back(field::shift_right(Fr::kModulus, 1));  // the largest that stays positive
  all.push_back(Fr::one().halved().plain());           // the smallest that does not
  std::mt19937_64 random(2);
  while (all.size() < 300) {
    Scalar s{random(), random(), random(), random() % Fr::kModulus[3]};
    all.push_back(s);
  }
  return all;
}

template <class Fr>
void check_all_windows() {
  const auto all = scalars<Fr>();
  for (unsigned window = 2; window <= 16; ++window) {
    const Digits digits(all, Fr::kModulus, window, 2);
    std::vector<bool> seen(all.size());
    for (std::size_t k = 0; k < digits.indices().size(); ++k) {
      const std::size_t i = digits.indices()[k] & ~kNegate;
      ASSERT_EQ(value<Fr>(digits, k), Fr::from_plain(all[i])) << "window " << window;
      seen[i] = true;
      for (unsigned w = 0; w < digits.windows(); ++w) {
        ASSERT_LT(digits.digits(w)[k], 1 << (window - 1));
        ASSERT_GE(digits.digits(w)[k], -(1 << (window - 1)));
      }
    }
    ASSERT_EQ(digits.units().size(), 2u);
    for (std::size_t i = 0; i < all.size(); ++i)
      ASSERT_EQ(seen[i], i != 0 && i != 1 && i != 2 && i != 3) << i;  // 0, -0, 1, -1
  }
}

TEST(Digits, say_the_scalar) {
  check_all_windows<Bn254Fr>();
  check_all_windows<Bls12_381Fr>();
}

TEST(Digits, units_with_their_signs) {
  const std::vector<Scalar> all = {Bn254Fr::zero().plain(), Bn254Fr::one().plain(),
                                   (-Bn254Fr::one()).plain(), Bn254Fr::from_word(7).plain()};
  const Digits digits(all, Bn254Fr::kModulus, 8, 1);
  ASSERT_EQ(digits.units().size(), 2u);
  EXPECT_EQ(digits.units()[0], 1u);
  EXPECT_EQ(digits.units()[1], 2u | kNegate);
  ASSERT_EQ(digits.indices().size(), 1u);
  EXPECT_EQ(digits.indices()[0], 3u);
}

TEST(Digits, order_is_kept_over_many_parts) {
  std::vector<Scalar> all(70000);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = field::from_word<4>(i % 5);
  const Digits digits(all, Bn254Fr::kModulus, 10, 3);
  EXPECT_EQ(digits.units().size(), 14000u);
  EXPECT_EQ(digits.indices().size(), 42000u);
  EXPECT_TRUE(std::is_sorted(digits.indices().begin(), digits.indices().end()));
}

TEST(Digits, none) {
  const Digits digits({}, Bn254Fr::kModulus, 10, 3);
  EXPECT_TRUE(digits.indices().empty() && digits.units().empty() && digits.digits(3).empty());
}

}  // namespace
}  // namespace prover::msm
