// SPDX-License-Identifier: Apache-2.0
// A key and a proof of snarkjs 0.7.6 for (w^2 + 7) x = out with public out and x (testdata/), and
// everything that can be wrong with them.
#include "prover/groth16/verify.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <sstream>

namespace prover::groth16 {
namespace {

using msm::Scalar;

template <class C>
class VerifyTest : public testing::Test {
 protected:
  void SetUp() override {
    const std::string folder =
        std::string(PROVER_GROTH16_TESTDATA) + '/' + std::string(curve_name(C::kId)) + '/';
    const auto key_text = files::read_verification_key(folder + "verification_key.json");
    const auto proof_text = files::read_proof(folder + "proof.json");
    const auto publics = files::read_publics(folder + "public.json", C::kId);
    ASSERT_TRUE(key_text) << key_text.error().to_text();
    ASSERT_TRUE(proof_text) << proof_text.error().to_text();
    ASSERT_TRUE(publics) << publics.error().to_text();
    key = from_text<C>(*key_text);
    claim.proof = from_text<C>(*proof_text);
    for (const files::Integer& value : *publics)
      claim.inputs.push_back({value[0], value[1], value[2], value[3]});
    std::ifstream stream(folder + "verification_key.json");
    std::stringstream text;
    text << stream.rdbuf();
    json = text.str();
  }
  std::string reason(const Claim<C>& other) const {
    return groth16::verify(key, other.inputs, other.proof).reason;
  }
  std::string reason(const VerifyingKey<C>& other) const {
    const Verdict verdict = groth16::verify(other, claim.inputs, claim.proof);
    EXPECT_FALSE(verdict.valid);
    return verdict.reason;
  }
  // A point of the curve outside of its group: all multiples of r of those found by trial.
  static G2Point<C> outside_g2();

  VerifyingKey<C> key;
  Claim<C> claim;
  std::string json;
};

// On both twists x = (a, 0) or (a, 1) soon has a y; here it is only looked for by the norm's root.
template <class C>
G2Point<C> VerifyTest<C>::outside_g2() {
  using Fq = typename C::Fq;
  auto exponent = Fq::kModulus;
  exponent[0] += 1;
  exponent = field::shift_right(exponent, 2);
  for (std::uint64_t a = 1;; ++a) {
    const typename C::Fq2 x{Fq::from_word(a), Fq::one()};
    const auto square = x.squared() * x + C::G2::b();
    const Fq norm = square.norm().pow(exponent);
    for (const Fq& half : {(square.c0 + norm).halved(), (square.c0 - norm).halved()}) {
      const Fq c0 = half.pow(exponent);
      const G2Point<C> point{x, {c0, square.c1 * c0.doubled().inverse()}};
      if (curve::is_on_curve(point, C::G2::b())) return point;
    }
  }
}

using Curves = testing::Types<curve::Bn254, curve::Bls12_381>;
TYPED_TEST_SUITE(VerifyTest, Curves);

TYPED_TEST(VerifyTest, a_proof_of_snarkjs_is_valid) {
  const Verdict verdict = verify(this->key, this->claim.inputs, this->claim.proof);
  EXPECT_TRUE(verdict.valid);
  EXPECT_EQ(verdict.reason, "");
}

TYPED_TEST(VerifyTest, alphabeta_is_that_of_snarkjs) {
  std::string rest = this->json.substr(this->json.find("vk_alphabeta_12"));
  const std::regex number("\"([0-9]{10,})\"");
  std::sregex_iterator next(rest.begin(), rest.end(), number);
  for (const files::Integer& integer : alphabeta(this->key)) {
    ASSERT_NE(next, std::sregex_iterator());
    EXPECT_EQ(files::to_decimal(integer), (*next++)[1].str());
  }
}

TYPED_TEST(VerifyTest, tampered_proofs_and_inputs_are_refused) {
  using C = TypeParam;
  const std::string unequal = "the pairing equation does not hold";
  using Tamper = void (*)(Claim<C>&);
  const std::pair<Tamper, std::string> cases[] = {
      {[](Claim<C>& c) { c.proof.a = -c.proof.a; }, unequal},
      {[](Claim<C>& c) { c.proof.b = -c.proof.b; }, unequal},
      {[](Claim<C>& c) { c.proof.c = -c.proof.c; }, unequal},
      {[](Claim<C>& c) { c.proof.a = C::G1::generator(); }, unequal},
      {[](Claim<C>& c) { c.proof.b = C::G2::generator(); }, unequal},
      {[](Claim<C>& c) { c.proof.c = {}; }, unequal},
      {[](Claim<C>& c) { c.proof = {}; }, unequal},
      {[](Claim<C>& c) { c.inputs[0][0] ^= 1; }, unequal},
      {[](Claim<C>& c) { std::swap(c.inputs[0], c.inputs[1]); }, unequal},
      {[](Claim<C>& c) { c.proof.a.x += C::Fq::one(); }, "pi_a is not on the curve"},
      {[](Claim<C>& c) { c.proof.b.y.c1 += C::Fq::one(); }, "pi_b is not on the curve"},
      {[](Claim<C>& c) { c.proof.c.y += C::Fq::one(); }, "pi_c is not on the curve"},
      {[](Claim<C>& c) { c.proof.b = VerifyTest<C>::outside_g2(); }, "pi_b is not in the subgroup"},
      {[](Claim<C>& c) { c.inputs.pop_back(); }, "the key takes 2 public values and got 1"},
      {[](Claim<C>& c) { c.inputs.push_back({}); }, "the key takes 2 public values and got 3"},
      {[](Claim<C>& c) { c.inputs[0] = C::Fr::kModulus; },
       "public value 0 is not below the order of the group"},
      // The same residue once more.
      {[](Claim<C>& c) { field::add_to(c.inputs[1], C::Fr::kModulus); },
       "public value 1 is not below the order of the group"},
  };
  for (std::size_t i = 0; i < std::size(cases); ++i) {
    Claim<C> other = this->claim;
    cases[i].first(other);
    const Verdict verdict = verify(this->key, other.inputs, other.proof);
    EXPECT_FALSE(verdict.valid) << i;
    EXPECT_EQ(verdict.reason, cases[i].second) << i;
  }
}

// The points that BLS12-381's G1 has beyond its group: (0, 2) has order 3.
TEST(VerifyBls12_381, points_outside_of_g1_are_refused) {
  using C = curve::Bls12_381;
  const G1Point<C> outside{C::Fq::zero(), C::Fq::from_word(2)};
  const G1Point<C> g = C::G1::generator();
  VerifyingKey<C> key{g, C::G2::generator(), C::G2::generator(), C::G2::generator(), {g}};
  Proof<C> proof{g, C::G2::generator(), outside};
  EXPECT_EQ(verify(key, {}, proof).reason, "pi_c is not in the subgroup");
  proof.a = outside;
  EXPECT_EQ(verify(key, {}, proof).reason, "pi_a is not in the subgroup");
  key.ic.push_back(outside);
  EXPECT_EQ(verify(key, {}, proof).reason,
            "the verifying key is no key: IC[1] is not in the subgroup");
}

TYPED_TEST(VerifyTest, broken_keys_are_refused) {
  using C = TypeParam;
  using Tamper = void (*)(VerifyingKey<C>&);
  const std::pair<Tamper, std::string> cases[] = {
      {[](VerifyingKey<C>& k) { k.alpha1.x += C::Fq::one(); }, "vk_alpha_1 is not on the curve"},
      {[](VerifyingKey<C>& k) { k.beta2.x.c0 += C::Fq::one(); }, "vk_beta_2 is not on the curve"},
      {[](VerifyingKey<C>& k) { k.gamma2 = VerifyTest<C>::outside_g2(); },
       "vk_gamma_2 is not in the subgroup"},
      {[](VerifyingKey<C>& k) { k.delta2 = {}; }, "vk_delta_2 is infinity"},
      {[](VerifyingKey<C>& k) { k.alpha1 = {}; }, "vk_alpha_1 is infinity"},
      {[](VerifyingKey<C>& k) { k.ic.clear(); }, "IC has no points"},
      {[](VerifyingKey<C>& k) { k.ic[2].y += C::Fq::one(); }, "IC[2] is not on the curve"},
  };
  for (const auto& [tamper, expected] : cases) {
    VerifyingKey<C> other = this->key;
    tamper(other);
    EXPECT_EQ(this->reason(other), "the verifying key is no key: " + expected);
    EXPECT_FALSE(Verifier<C>::create(other));
  }
  VerifyingKey<C> other = this->key;
  std::swap(other.ic[1], other.ic[2]);
  EXPECT_EQ(this->reason(other), "the pairing equation does not hold");
}

TYPED_TEST(VerifyTest, many_at_once) {
  using C = TypeParam;
  const auto verifier = Verifier<C>::create(this->key);
  ASSERT_TRUE(verifier);
  std::vector<Claim<C>> claims(5, this->claim);
  const auto validity = [&] {
    const auto verdicts = verifier->verify_all(claims);
    std::string text;
    if (!verdicts) return verdicts.error().to_text();
    for (const Verdict& verdict : *verdicts) {
      text += verdict.valid ? '+' : '-';
      EXPECT_EQ(verdict.valid, verdict.reason.empty());
    }
    return text;
  };
  EXPECT_EQ(validity(), "+++++");
  claims[1].inputs.clear();  // refused before the equation, which holds for the rest
  EXPECT_EQ(validity(), "+-+++");
  claims[3].inputs[0][0] ^= 1;
  EXPECT_EQ(validity(), "+-+-+");
  // Errors that cancel without random coefficients: C + g and C - g.
  claims.assign(2, this->claim);
  using Point = curve::Jacobian<typename C::Fq>;
  claims[0].proof.c = (Point::from(this->claim.proof.c) + C::G1::generator()).affine();
  claims[1].proof.c = (Point::from(this->claim.proof.c) + -C::G1::generator()).affine();
  EXPECT_EQ(validity(), "--");
  claims.clear();
  EXPECT_EQ(validity(), "");
}

// With known logarithms: alpha = a, beta = b, gamma = c, delta = d, IC_i = i + 1 times the
// generators, A B = a b + c sum + d C in the field. Enough inputs for sums by buckets.
TYPED_TEST(VerifyTest, many_inputs) {
  using C = TypeParam;
  using Fr = typename C::Fr;
  const auto n = [](std::uint64_t word) { return Fr::from_word(word); };
  const auto g1 = [](const Fr& x) {
    return curve::Jacobian<typename C::Fq>::from(C::G1::generator()).times(x.plain()).affine();
  };
  const auto g2 = [](const Fr& x) {
    return curve::Jacobian<typename C::Fq2>::from(C::G2::generator()).times(x.plain()).affine();
  };
  for (const std::size_t count : {0u, 1u, 62u, 63u, 200u}) {
    VerifyingKey<C> made{g1(n(3)), g2(n(5)), g2(n(7)), g2(n(11)), {}};
    std::vector<Scalar> inputs;
    Fr sum = n(1), x = n(0x123456789);
    for (std::size_t i = 0; i <= count; ++i) made.ic.push_back(g1(n(i + 1)));
    for (std::size_t i = 1; i <= count; ++i, x = x.squared() + n(i)) {
      inputs.push_back(i % 5 == 0 ? field::from_word<4>(i / 5 % 2) : x.plain());
      sum += Fr::from_plain(inputs.back()) * n(i + 1);
    }
    const Fr a = n(1000003), b = n(998244353);
    const Fr c = (a * b - n(15) - n(7) * sum) * n(11).inverse();
    EXPECT_TRUE(verify<C>(made, inputs, {g1(a), g2(b), g1(c)}).valid) << count;
    EXPECT_FALSE(verify<C>(made, inputs, {g1(a), g2(b), g1(c + n(1))}).valid) << count;
  }
}

}  // namespace
}  // namespace prover::groth16
