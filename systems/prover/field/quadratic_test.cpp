// SPDX-License-Identifier: Apache-2.0
// F[u] / (u^2 + 1), portable and ADX, against GMP.
#include "prover/field/quadratic.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "prover/field/isa.hpp"
#include "prover/field/mpz.hpp"
#include "prover/field/mul_x86_64.hpp"
#include "prover/field/params.hpp"

namespace prover::field {
namespace {

// c0 + c1 u in GMP's integers.
struct Pair {
  Mpz c0, c1;
};

template <class F>
class QuadraticTest : public testing::Test {
 protected:
  using Fq2 = Quadratic<F>;

  void SetUp() override {
    if (!std::is_same_v<F, Field<typename F::Params>> && !has_adx())
      GTEST_SKIP() << "this processor has no ADX";
  }

  // All pairs of 0, 1, p - 1, (p + 1) / 2 and an element of large limbs; and random ones.
  static std::vector<Fq2> values() {
    typename F::Plain large;
    large.fill(~std::uint64_t{0});
    large.back() = F::kModulus.back() - 1;
    const F edges[] = {F::zero(), F::one(), -F::one(), F::one().halved(),
                       F::from_montgomery(large)};
    std::vector<Fq2> all;
    for (const F& a : edges)
      for (const F& b : edges) all.push_back({a, b});
    std::mt19937_64 random(1);
    while (all.size() < 45) {
      typename F::Plain a, b;
      for (std::uint64_t& limb : a) limb = random();
      for (std::uint64_t& limb : b) limb = random();
      a.back() %= F::kModulus.back();
      b.back() %= F::kModulus.back();
      all.push_back({F::from_plain(a), F::from_plain(b)});
    }
    return all;
  }

  static Pair integers(const Fq2& a) { return {Mpz(a.c0.plain()), Mpz(a.c1.plain())}; }
  static void expect(const Fq2& value, Mpz& c0, Mpz& c1) {
    const Mpz p(F::kModulus);
    mpz_mod(c0.get(), c0.get(), p.get());
    mpz_mod(c1.get(), c1.get(), p.get());
    ASSERT_EQ(Mpz(value.c0.plain()), c0);
    ASSERT_EQ(Mpz(value.c1.plain()), c1);
    ASSERT_TRUE(value.is_reduced());
  }
};

using Fields = testing::Types<Bn254Fq, Bls12_381Fq, Field<Bn254FqParams, AdxMul>,
                              Field<Bls12_381FqParams, AdxMul>>;
TYPED_TEST_SUITE(QuadraticTest, Fields);

TYPED_TEST(QuadraticTest, sums_and_products) {
  const auto values = this->values();
  Mpz c0, c1;
  for (const auto& a : values) {
    const Pair x = this->integers(a);
    for (const auto& b : values) {
      const Pair y = this->integers(b);
      mpz_mul(c0.get(), x.c0.get(), y.c0.get());
      mpz_submul(c0.get(), x.c1.get(), y.c1.get());
      mpz_mul(c1.get(), x.c0.get(), y.c1.get());
      mpz_addmul(c1.get(), x.c1.get(), y.c0.get());
      this->expect(a * b, c0, c1);
      mpz_add(c0.get(), x.c0.get(), y.c0.get());
      mpz_add(c1.get(), x.c1.get(), y.c1.get());
      this->expect(a + b, c0, c1);
      mpz_sub(c0.get(), x.c0.get(), y.c0.get());
      mpz_sub(c1.get(), x.c1.get(), y.c1.get());
      this->expect(a - b, c0, c1);
    }
  }
}

TYPED_TEST(QuadraticTest, squares_norms_and_inverses) {
  using Value = Quadratic<TypeParam>;
  const Mpz p(TypeParam::kModulus);
  Mpz c0, c1, norm;
  for (const auto& a : this->values()) {
    const Pair x = this->integers(a);
    mpz_mul(norm.get(), x.c0.get(), x.c0.get());
    mpz_addmul(norm.get(), x.c1.get(), x.c1.get());
    mpz_mod(norm.get(), norm.get(), p.get());
    ASSERT_EQ(Mpz(a.norm().plain()), norm);
    mpz_mul(c0.get(), x.c0.get(), x.c0.get());
    mpz_submul(c0.get(), x.c1.get(), x.c1.get());
    mpz_mul(c1.get(), x.c0.get(), x.c1.get());
    mpz_mul_2exp(c1.get(), c1.get(), 1);
    this->expect(a.squared(), c0, c1);
    EXPECT_EQ(a.halved().doubled(), a);
    EXPECT_EQ(a.conjugate() * a, (Value{a.norm(), TypeParam::zero()}));
    EXPECT_EQ(a + -a, Value::zero());
    if (mpz_invert(norm.get(), norm.get(), p.get()) == 0) {
      EXPECT_TRUE(a.is_zero() && a.inverse().is_zero());  // -1 is no square: no other norm is 0
      continue;
    }
    mpz_mul(c0.get(), x.c0.get(), norm.get());
    mpz_mul(c1.get(), x.c1.get(), norm.get());
    mpz_neg(c1.get(), c1.get());
    this->expect(a.inverse(), c0, c1);
    EXPECT_EQ(a * a.inverse(), Value::one());
  }
}

TYPED_TEST(QuadraticTest, bytes_survive) {
  using Value = Quadratic<TypeParam>;
  std::byte bytes[Value::kBytes + 1];
  for (const auto& a : this->values()) {
    a.store(bytes + 1);
    EXPECT_EQ(Value::load(bytes + 1), a);
  }
  std::fill(std::begin(bytes), std::end(bytes), std::byte{0xff});
  EXPECT_FALSE(Value::load(bytes).is_reduced());
}

// What the compiler computed is what the processor computes.
TYPED_TEST(QuadraticTest, constants_agree_with_the_processor) {
  using Value = Quadratic<TypeParam>;
  constexpr Value a{TypeParam::from_word(123456789), -TypeParam::from_word(987654321)};
  constexpr Value product = a * a.squared() - a.halved();
  const volatile std::uint64_t low = 123456789, high = 987654321;
  const Value b{TypeParam::from_word(low), -TypeParam::from_word(high)};
  EXPECT_EQ(b * b.squared() - b.halved(), product);
}

}  // namespace
}  // namespace prover::field
