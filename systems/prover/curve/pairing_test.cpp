// SPDX-License-Identifier: Apache-2.0
// Towers by their laws, the pairing by bilinearity, by snarkjs's values and by a plain power.
#include "prover/curve/pairing.hpp"

#include <gmp.h>
#include <gtest/gtest.h>

#include <random>

#include "prover/curve/pairing_fixture.hpp"
#include "prover/curve/pairing_loop.hpp"

namespace prover::curve {
namespace {

template <class C>
class PairingTest : public testing::Test {
 protected:
  using Fq = typename C::Fq;
  using Fq2 = typename C::Fq2;
  using T = Gt<C>;

  template <class F>
  F random_element() {
    typename F::Plain limbs;
    for (std::uint64_t& limb : limbs) limb = random_();
    limbs.back() %= F::kModulus.back();
    return F::from_plain(limbs);
  }
  Fq2 random_fq2() { return {random_element<Fq>(), random_element<Fq>()}; }
  T random_gt() {
    return {{random_fq2(), random_fq2(), random_fq2()}, {random_fq2(), random_fq2(), random_fq2()}};
  }
  Affine<Fq> g1(const typename C::Fr::Plain& n) const {
    return Jacobian<Fq>::from(C::G1::generator()).times(n).affine();
  }
  Affine<Fq2> g2(const typename C::Fr::Plain& n) const {
    return Jacobian<Fq2>::from(C::G2::generator()).times(n).affine();
  }
  template <std::size_t N>
  static T power(const T& a, const field::Limbs<N>& exponent) {
    T result = T::one();
    for (std::size_t i = 64 * N; i-- > 0;) {
      result = result.squared();
      if (field::bit(exponent, i)) result *= a;
    }
    return result;
  }
  static Fq decimal(const char* text) {
    Fq value = Fq::zero();
    for (; *text != '\0'; ++text)
      value = value * Fq::from_word(10) + Fq::from_word(static_cast<std::uint64_t>(*text - '0'));
    return value;
  }
  static const PairingFixture& fixture() {
    return C::kId == CurveId::bn254 ? kBn254Fixture : kBls12_381Fixture;
  }

  std::mt19937_64 random_{7};
};

using Curves = testing::Types<Bn254, Bls12_381>;
TYPED_TEST_SUITE(PairingTest, Curves);

TYPED_TEST(PairingTest, tower_obeys_its_laws) {
  using Value = Gt<TypeParam>;
  using Pair = typename TypeParam::Fq2;
  for (int i = 0; i < 20; ++i) {
    const Value a = this->random_gt(), b = this->random_gt(), c = this->random_gt();
    EXPECT_EQ(a * b, b * a);
    EXPECT_EQ((a * b) * c, a * (b * c));
    EXPECT_EQ(a * (b + c), a * b + a * c);
    EXPECT_EQ(a.squared(), a * a);
    EXPECT_EQ(a * a.inverse(), Value::one());
    EXPECT_EQ(a.c0 * a.c0.inverse(), decltype(a.c0)::one());
    const Pair x = this->random_fq2(), y = this->random_fq2(), z = this->random_fq2();
    EXPECT_EQ(a.times_034(x, y, z), a * (Value{{x, {}, {}}, {y, z, {}}}));
    EXPECT_EQ(a.times_014(x, y, z), a * (Value{{x, y, {}}, {{}, z, {}}}));
  }
  EXPECT_TRUE(Value::zero().inverse().is_zero());
  // w^6 = xi
  const Value w{{}, {Pair::one(), {}, {}}};
  const Pair xi = field::times_xi<PairingParameters<TypeParam>::kXi>(Pair::one());
  EXPECT_EQ(w * w * w * w * w * w, (Value{{xi, {}, {}}, {}}));
  EXPECT_EQ(xi,
            (Pair{Pair::Base::from_word(PairingParameters<TypeParam>::kXi), Pair::Base::one()}));
}

TYPED_TEST(PairingTest, frobenius_is_the_power_of_q) {
  const auto a = this->random_gt();
  EXPECT_EQ(a.frobenius(), this->power(a, TypeParam::Fq::kModulus));
  auto conjugate = a;
  for (int i = 0; i < 6; ++i) conjugate = conjugate.frobenius();
  EXPECT_EQ(conjugate, a.conjugate());
}

TYPED_TEST(PairingTest, cyclotomic_square_is_a_square) {
  const auto e = pairing<TypeParam>(TypeParam::G1::generator(), TypeParam::G2::generator());
  EXPECT_EQ(e.cyclotomic_squared(), e.squared());
  auto f = this->random_gt();
  f = f.conjugate() * f.inverse();
  f = f.frobenius().frobenius() * f;
  EXPECT_EQ(f.cyclotomic_squared(), f.squared());
}

TYPED_TEST(PairingTest, is_bilinear_and_not_degenerate) {
  using Value = Gt<TypeParam>;
  using Fr = typename TypeParam::Fr;
  const Value e = pairing<TypeParam>(TypeParam::G1::generator(), TypeParam::G2::generator());
  EXPECT_NE(e, Value::one());
  EXPECT_FALSE(e.is_zero());
  EXPECT_EQ(this->power(e, Fr::kModulus), Value::one());
  for (int i = 0; i < 5; ++i) {
    const Fr a = this->template random_element<Fr>(), b = this->template random_element<Fr>();
    EXPECT_EQ(pairing<TypeParam>(this->g1(a.plain()), this->g2(b.plain())),
              this->power(e, (a * b).plain()));
  }
}

TYPED_TEST(PairingTest, products_that_are_one) {
  using C = TypeParam;
  const auto three = field::from_word<4>(3), five = field::from_word<4>(5);
  const auto q = prepare<C>(this->g2(three)), q5 = prepare<C>(this->g2(five));
  const auto infinity = prepare<C>({});
  EXPECT_TRUE(infinity.lines.empty());
  const auto p = this->g1(five), p3 = this->g1(three);
  const auto is_one = [](std::initializer_list<PairingTerm<C>> terms) {
    return pairing_product_is_one<C>(std::span(terms.begin(), terms.size()));
  };
  EXPECT_TRUE(is_one({{p, &q}, {-p, &q}}));
  EXPECT_TRUE(is_one({{p, &q}, {-p3, &q5}}));
  EXPECT_FALSE(is_one({{p, &q}, {p3, &q5}}));
  EXPECT_FALSE(is_one({{p, &q}}));
  EXPECT_TRUE(is_one({}));
  EXPECT_TRUE(is_one({{{}, &q}, {p, &infinity}, {{}, &infinity}}));
  EXPECT_TRUE(is_one({{p, &q}, {p, &infinity}, {-p3, &q5}, {{}, &q}}));
}

TYPED_TEST(PairingTest, is_what_snarkjs_writes) {
  using C = TypeParam;
  const auto n = [](const char* text) { return TestFixture::decimal(text); };
  const PairingFixture& key = this->fixture();
  const Affine<typename C::Fq> alpha{n(key.alpha[0]), n(key.alpha[1])};
  const Affine<typename C::Fq2> beta{{n(key.beta[0]), n(key.beta[1])},
                                     {n(key.beta[2]), n(key.beta[3])}};
  const auto& t = key.alphabeta;
  const Gt<C> expected{
      {{n(t[0]), n(t[1])}, {n(t[2]), n(t[3])}, {n(t[4]), n(t[5])}},
      {{n(t[6]), n(t[7])}, {n(t[8]), n(t[9])}, {n(t[10]), n(t[11])}},
  };
  ASSERT_TRUE(is_on_curve(alpha, C::G1::b()) && is_on_curve(beta, C::G2::b()));
  EXPECT_EQ(pairing<C>(alpha, beta), expected);
}

// m (q^12 - 1) / r by GMP.
template <class C>
std::vector<bool> exponent() {
  mpz_t q, r, e, z;
  mpz_inits(q, r, e, z, nullptr);
  mpz_import(q, C::Fq::kLimbs, -1, 8, 0, 0, C::Fq::kModulus.data());
  mpz_import(r, 4, -1, 8, 0, 0, C::Fr::kModulus.data());
  mpz_pow_ui(e, q, 12);
  mpz_sub_ui(e, e, 1);
  EXPECT_NE(mpz_divisible_p(e, r), 0);
  mpz_divexact(e, e, r);
  if constexpr (C::kId == CurveId::bn254) {
    mpz_set_ui(z, PairingParameters<C>::kX);
    mpz_mul_ui(e, e, 2);
    mpz_mul(e, e, z);
    mpz_set(q, z);  // 6 z^2 + 3 z + 1
    mpz_mul_ui(q, q, 6);
    mpz_add_ui(q, q, 3);
    mpz_mul(q, q, z);
    mpz_add_ui(q, q, 1);
    mpz_mul(e, e, q);
  } else {
    mpz_mul_ui(e, e, 3);
  }
  std::vector<bool> bits(mpz_sizeinbase(e, 2));
  for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = mpz_tstbit(e, i) != 0;
  mpz_clears(q, r, e, z, nullptr);
  return bits;
}

TYPED_TEST(PairingTest, final_exponentiation_is_the_plain_power) {
  using Value = Gt<TypeParam>;
  const auto bits = exponent<TypeParam>();
  const Value f = this->random_gt();
  Value expected = Value::one();
  for (std::size_t i = bits.size(); i-- > 0;) {
    expected = expected.squared();
    if (bits[i]) expected *= f;
  }
  EXPECT_EQ(final_exponentiation<TypeParam>(f), expected);
  EXPECT_TRUE(final_exponentiation<TypeParam>(Value::zero()).is_zero());
}

TEST(SignedDigits, stand_for_their_number) {
  for (const std::uint64_t n : {1ull, 2ull, 3ull, 7ull, 0xd201000000010000ull, ~0ull}) {
    const SignedDigits digits{field::Wide{n}};
    field::Wide sum = 0;
    for (std::size_t i = digits.count; i-- > 0;) {
      sum = 2 * sum + static_cast<field::Wide>(static_cast<__int128_t>(digits.digit[i]));
      if (i > 0) {
        EXPECT_TRUE(digits.digit[i] == 0 || digits.digit[i - 1] == 0);
      }
    }
    EXPECT_TRUE(sum == field::Wide{n});
    EXPECT_EQ(digits.digit[digits.count - 1], 1);
  }
}

}  // namespace
}  // namespace prover::curve
