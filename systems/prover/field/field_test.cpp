// SPDX-License-Identifier: Apache-2.0
// Every field, portable and ADX, against GMP on edge and random values.
#include "prover/field/field.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "prover/field/isa.hpp"
#include "prover/field/mpz.hpp"
#include "prover/field/mul_x86_64.hpp"
#include "prover/field/params.hpp"

namespace prover::field {
namespace {

template <class F>
class FieldTest : public testing::Test {
 protected:
  using Plain = typename F::Plain;

  void SetUp() override {
    if (!std::is_same_v<F, Field<typename F::Params>> && !has_adx())
      GTEST_SKIP() << "this processor has no ADX";
  }

  // 0, 1, 2, p-1, p-2, (p-1)/2, R, R^2, the largest values of limbs that are below p, and random.
  static std::vector<F> values() {
    std::vector<F> all = {F::zero(), F::one(),         F::from_word(2),
                          -F::one(), -F::from_word(2), F::one().halved()};
    Plain limbs{};
    limbs.fill(~std::uint64_t{0});
    limbs.back() = F::kModulus.back() - 1;
    all.push_back(F::from_montgomery(limbs));  // all ones below a small top limb
    for (std::size_t i = 0; i < F::kLimbs; ++i) {
      Plain one_limb{};
      one_limb[i] = i + 1 == F::kLimbs ? F::kModulus.back() - 1 : ~std::uint64_t{0};
      all.push_back(F::from_montgomery(one_limb));
    }
    all.push_back(F::from_montgomery(power_of_two(F::kModulus, 64 * F::kLimbs)));
    all.push_back(F::from_montgomery(power_of_two(F::kModulus, 128 * F::kLimbs)));
    std::mt19937_64 random(1);
    while (all.size() < 40) {
      Plain integer;
      for (std::uint64_t& limb : integer) limb = random();
      integer.back() %= F::kModulus.back();
      all.push_back(F::from_plain(integer));
    }
    return all;
  }
  static Mpz modulus() { return Mpz(F::kModulus); }
  static Mpz integer(const F& a) { return Mpz(a.plain()); }
};

using Fields = testing::Types<Bn254Fq, Bn254Fr, Bls12_381Fq, Bls12_381Fr,
                              Field<Bn254FqParams, AdxMul>, Field<Bn254FrParams, AdxMul>,
                              Field<Bls12_381FqParams, AdxMul>, Field<Bls12_381FrParams, AdxMul>>;
TYPED_TEST_SUITE(FieldTest, Fields);

TYPED_TEST(FieldTest, agrees_with_gmp) {
  const Mpz p = this->modulus();
  const auto values = this->values();
  Mpz expected;
  for (const TypeParam& a : values) {
    for (const TypeParam& b : values) {
      const Mpz x = this->integer(a), y = this->integer(b);
      mpz_add(expected.get(), x.get(), y.get());
      mpz_mod(expected.get(), expected.get(), p.get());
      ASSERT_EQ(this->integer(a + b), expected);
      mpz_sub(expected.get(), x.get(), y.get());
      mpz_mod(expected.get(), expected.get(), p.get());
      ASSERT_EQ(this->integer(a - b), expected);
      mpz_mul(expected.get(), x.get(), y.get());
      mpz_mod(expected.get(), expected.get(), p.get());
      ASSERT_EQ(this->integer(a * b), expected);
      ASSERT_TRUE((a * b).is_reduced() && (a + b).is_reduced() && (a - b).is_reduced());
    }
  }
}

TYPED_TEST(FieldTest, inverts) {
  for (const TypeParam& a : this->values()) {
    if (a.is_zero()) {
      EXPECT_TRUE(a.inverse().is_zero());
      continue;
    }
    EXPECT_EQ(a * a.inverse(), TypeParam::one());
    EXPECT_TRUE(a.inverse().is_reduced());
  }
}

TYPED_TEST(FieldTest, inverts_many_with_zeros_among_them) {
  const auto values = this->values();
  auto inverses = values, scratch = values;
  invert_all(std::span(inverses), std::span(scratch));
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(inverses[i], values[i].inverse());
}

TYPED_TEST(FieldTest, halves_doubles_and_squares) {
  for (const TypeParam& a : this->values()) {
    EXPECT_EQ(a.halved().doubled(), a);
    EXPECT_TRUE(a.halved().is_reduced());
    EXPECT_EQ(a.squared(), a * a);
    EXPECT_TRUE(a.squared().is_square());
    EXPECT_EQ(a + (-a), TypeParam::zero());
    EXPECT_EQ(TypeParam::from_plain(a.plain()), a);
  }
}

TYPED_TEST(FieldTest, fermat) {
  auto exponent = TypeParam::kModulus;
  exponent[0] -= 1;
  const auto values = this->values();
  for (std::size_t i = 1; i < 10; ++i) EXPECT_EQ(values[i].pow(exponent), TypeParam::one());
}

TYPED_TEST(FieldTest, bytes_survive) {
  std::byte bytes[TypeParam::kBytes + 1];
  for (const TypeParam& a : this->values()) {
    a.store(bytes + 1);
    EXPECT_EQ(TypeParam::load(bytes + 1), a);
  }
  std::fill(std::begin(bytes), std::end(bytes), std::byte{0xff});
  EXPECT_FALSE(TypeParam::load(bytes).is_reduced());
}

template <class Fr>
void check_roots() {
  constexpr unsigned top = Fr::Params::kTwoAdicity;
  EXPECT_FALSE(Fr::from_word(Fr::Params::kNonSquare).is_square());
  for (std::uint64_t n = 2; n < Fr::Params::kNonSquare; ++n)
    EXPECT_TRUE(Fr::from_word(n).is_square()) << n;
  EXPECT_EQ(root_of_unity<Fr>(0), Fr::one());
  EXPECT_EQ(root_of_unity<Fr>(1), -Fr::one());
  for (unsigned k = 1; k <= top; ++k)
    EXPECT_EQ(root_of_unity<Fr>(k).squared(), root_of_unity<Fr>(k - 1));
}

TEST(RootsOfUnity, are_primitive) {
  check_roots<Bn254Fr>();
  check_roots<Bls12_381Fr>();
}

}  // namespace
}  // namespace prover::field
