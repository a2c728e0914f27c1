// SPDX-License-Identifier: Apache-2.0
#include "prover/groth16/check.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "prover/groth16/proof.hpp"
#include "prover/groth16/testing.hpp"

namespace prover::groth16 {
namespace {

std::vector<std::byte> read_all(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

template <class C>
class CheckTest : public testing::Test {
 protected:
  using Fq2 = typename C::Fq2;

  CheckTest() : circuit_(folder_, 20), bytes_(read_all(circuit_.zkey)) {}

  files::Zkey key() const {
    auto parsed = files::Zkey::parse(bytes_, "key");
    if (!parsed) throw std::runtime_error(parsed.error().to_text());
    return *parsed;
  }
  static std::vector<Error> faults(const files::Zkey& key) {
    auto found = check(key, {.threads = 2, .progress = {}});
    if (!found) throw std::runtime_error(found.error().to_text());
    return *found;
  }
  // Where a part of the key lies in bytes_.
  std::byte* at(files::Bytes part) { return bytes_.data() + (part.data() - bytes_.data()); }
  // A point of the twist that is outside the group of order r.
  static G2Point<C> outside() {
    for (std::uint64_t i = 1;; ++i) {
      // x with a y: y^2 = x^3 + b, y by the square root for q = 3 mod 4.
      const Fq2 x{C::Fq::from_word(i), C::Fq::one()};
      const Fq2 square = x.squared() * x + C::G2::b();
      const auto y = square_root(square);
      if (y.squared() != square) continue;
      const G2Point<C> point{x, y};
      if (!curve::Jacobian<Fq2>::from(point).times(C::Fr::kModulus).is_infinity()) return point;
    }
  }
  // Some root if there is one. Ref: Adj, Rodriguez-Henriquez, Square root computation over even
  // extension fields (2012), algorithm 9.
  static Fq2 square_root(const Fq2& a) {
    auto exponent = C::Fq::kModulus;  // (q - 3) / 4
    exponent[0] -= 3;
    exponent = field::shift_right(exponent, 2);
    const auto pow = [](Fq2 base, const auto& e) {
      Fq2 power = Fq2::one();
      for (std::size_t i = 64 * C::Fq::kLimbs; i-- > 0;) {
        power = power.squared();
        if (field::bit(e, i)) power *= base;
      }
      return power;
    };
    const Fq2 a1 = pow(a, exponent), x0 = a1 * a, alpha = a1 * x0;
    if (alpha == -Fq2::one()) return {-x0.c1, x0.c0};
    exponent = field::shift_right(C::Fq::kModulus, 1);  // (q - 1) / 2
    return pow(Fq2::one() + alpha, exponent) * x0;
  }

  const Folder folder_;
  const Circuit<C> circuit_;
  std::vector<std::byte> bytes_;
};

using Curves = testing::Types<curve::Bn254, curve::Bls12_381>;
TYPED_TEST_SUITE(CheckTest, Curves);

TYPED_TEST(CheckTest, a_sound_key_has_no_faults) {
  for (const Error& fault : this->faults(this->key())) ADD_FAILURE() << fault.to_text();
}

TYPED_TEST(CheckTest, points_off_the_curve_in_every_section) {
  using Zkey = files::Zkey;
  constexpr std::size_t kG1 = G1Point<TypeParam>::kBytes;
  for (const auto section : {&Zkey::ic, &Zkey::a, &Zkey::b1, &Zkey::c, &Zkey::h})
    this->at(this->key().*section)[kG1] ^= std::byte{2};
  this->at(this->key().b2)[2 * kG1] ^= std::byte{2};
  const auto found = this->faults(this->key());
  EXPECT_EQ(found.size(), 6u);
  for (const Error& fault : found) EXPECT_EQ(fault.what, "point 1 is not on the curve");
}

TYPED_TEST(CheckTest, points_outside_the_group) {
  const auto point = this->outside();
  const std::size_t kG2 = G2Point<TypeParam>::kBytes;
  point.store(this->at(this->key().b2) + 7 * kG2);
  auto found = this->faults(this->key());
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].what, "point 7 is not in the group of order r");
  EXPECT_NE(found[0].where.find("section 7 (b2)"), std::string::npos);
  point.store(this->at(this->key().gamma2));
  found = this->faults(this->key());
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].what, "gamma2 is not in the group of order r");
}

// More points than are looked at one by one.
TYPED_TEST(CheckTest, one_point_of_many_is_outside_the_group) {
  const Folder folder;
  const Circuit<TypeParam> large(folder, 400);
  this->bytes_ = read_all(large.zkey);
  EXPECT_TRUE(this->faults(this->key()).empty());
  this->outside().store(this->at(this->key().b2) + 777 * G2Point<TypeParam>::kBytes);
  const auto found = this->faults(this->key());
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].what, "point 777 is not in the group of order r");
}

TYPED_TEST(CheckTest, header_points) {
  std::memset(this->at(this->key().alpha1), 0, this->key().alpha1.size());
  auto found = this->faults(this->key());
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].what, "alpha1 is infinity");
}

TYPED_TEST(CheckTest, a_public_value_that_nothing_binds) {
  constexpr std::size_t kG1 = G1Point<TypeParam>::kBytes;
  std::memset(this->at(this->key().ic) + kG1, 0, kG1);
  const auto found = this->faults(this->key());
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].what, "point 1 is infinity, which binds no public value");
}

TYPED_TEST(CheckTest, multiples_that_differ) {
  const auto key = this->key();
  // Sound points in the wrong places.
  std::memcpy(this->at(key.beta1), this->at(key.alpha1), key.beta1.size());
  std::memcpy(this->at(key.delta1), this->at(key.alpha1), key.delta1.size());
  std::memcpy(this->at(key.b1) + 3 * key.alpha1.size(), this->at(key.alpha1), key.alpha1.size());
  std::vector<std::string> whats;
  for (const Error& fault : this->faults(this->key())) whats.push_back(fault.what);
  EXPECT_EQ(whats,
            (std::vector<std::string>{"beta1 and beta2 are different multiples of the generators",
                                      "delta1 and delta2 are different multiples of the generators",
                                      "B1 and B2 are not the same multiples of the generators"}));
}

TYPED_TEST(CheckTest, coefficients) {
  const auto key = this->key();
  std::memset(this->at(key.coefficients.records()) + 4, 0xff, 4);  // row of the first
  const auto found = this->faults(this->key());
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].where.find("section 4 (coefficients)"), std::string::npos);
}

TYPED_TEST(CheckTest, stops_when_told) {
  const auto found = check(
      this->key(), {.threads = 1, .progress = [](const std::string& what) { return what != "C"; }});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, ErrorKind::cancelled);
}

}  // namespace
}  // namespace prover::groth16
