// SPDX-License-Identifier: Apache-2.0
#include "prover/circuit/poseidon.hpp"

#include "prover/circuit/test_support.hpp"
#include "prover/files/json.hpp"

namespace prover::circuit {
namespace {

template <class F>
std::string decimal(const F& value) {
  return files::to_decimal(value.plain());
}

template <class F>
F from_hex(const std::string& digits) {
  F value;
  for (const char digit : digits)
    value = value * F::from_word(16) +
            F::from_word(static_cast<std::uint64_t>(digit <= '9' ? digit - '0' : digit - 'a' + 10));
  return value;
}

// Source: circomlib's tests, and test_vectors.txt of the paper's reference implementation
// (poseidonperm_x5_254_3, poseidonperm_x5_255_3).
TEST(Poseidon, HasThePublishedValues) {
  using A = field::Bn254Fr;
  using B = field::Bls12_381Fr;
  EXPECT_EQ(decimal(poseidon_hash(A::from_word(1), A::from_word(2))),
            "7853200120776062878684798364095072458815029376092732009249414926327459813530");
  const auto a = poseidon_permutation<A>({A::zero(), A::from_word(1), A::from_word(2)});
  const char* const expected_a[] = {
      "115cc0f5e7d690413df64c6b9662e9cf2a3617f2743245519e19607a4417189a",
      "0fca49b798923ab0239de1c9e7a4a9a2210312b6a2f616d18b5a87f9b628ae29",
      "0e7ae82e40091e63cbd4f16a6d16310b3729d4b6e138fcf54110e2867045a30c"};
  const auto b = poseidon_permutation<B>({B::zero(), B::from_word(1), B::from_word(2)});
  const char* const expected_b[] = {
      "28ce19420fc246a05553ad1e8c98f5c9d67166be2c18e9e4cb4b4e317dd2a78a",
      "51f3e312c95343a896cfd8945ea82ba956c1118ce9b9859b6ea56637b4b1ddc4",
      "3b2b69139b235626a0bfb56c9527ae66a7bf486ad8c11c14d1da0c69bbe0f79a"};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(a[i], from_hex<A>(expected_a[i])) << i;
    EXPECT_EQ(b[i], from_hex<B>(expected_b[i])) << i;
  }
}

template <class T>
class PoseidonCircuit : public testing::Test {};
TYPED_TEST_SUITE(PoseidonCircuit, Fields);

TYPED_TEST(PoseidonCircuit, AgreesWithTheFunction) {
  using F = TypeParam;
  using Cs = R1csRecorder<F>;
  Cs cs;
  const F x = F::from_word(11), y = -F::from_word(12);
  const auto left = Number<Cs>::wire(cs.allocate(x), x),
             right = Number<Cs>::wire(cs.allocate(y), y);
  const auto hash = poseidon_hash(cs, left, right, true);
  EXPECT_EQ(hash.value, poseidon_hash(x, y));
  EXPECT_EQ(cs.witness()[1], hash.value);
  EXPECT_EQ(cs.constraints(), kPoseidonConstraints);
  expect_tight(cs, 1000);
}

// Keys hold the coefficients of A and B.
TYPED_TEST(PoseidonCircuit, KeepsLongSumsOutOfAAndB) {
  using F = TypeParam;
  using Cs = R1csRecorder<F>;
  Cs cs;
  const auto left = Number<Cs>::wire(cs.allocate(F::one()), F::one()),
             right = Number<Cs>::wire(cs.allocate(F::one()), F::one());
  poseidon_hash(cs, left, right);
  std::size_t stored = 0;
  for (std::uint32_t i = 0; i < cs.constraints(); ++i)
    stored += cs.row(Matrix::a, i).size() + cs.row(Matrix::b, i).size();
  EXPECT_LT(stored, 1000u);
}

TYPED_TEST(PoseidonCircuit, MerklePath) {
  using F = TypeParam;
  const F leaf = F::from_word(5);
  const std::vector<F> siblings = {F::from_word(6), F::from_word(7), F::from_word(8)};
  const std::vector<bool> is_right = {true, false, true};
  const auto build = [&](auto& cs) {
    merkle_path<std::remove_reference_t<decltype(cs)>>(cs, leaf, is_right, siblings);
  };
  R1csRecorder<F> cs;
  build(cs);
  const F root =
      poseidon_hash(siblings[2], poseidon_hash(poseidon_hash(siblings[0], leaf), siblings[1]));
  EXPECT_EQ(cs.witness()[1], root);
  EXPECT_EQ(cs.publics(), 1u);
  EXPECT_EQ(cs.constraints(), 3 * kMerklePathConstraints);
  expect_tight(cs, 300);
  expect_agreement(cs, build);
}

TYPED_TEST(PoseidonCircuit, PackedBits) {
  using F = TypeParam;
  using Cs = R1csRecorder<F>;
  Cs cs;
  const std::vector<Bit> bits = {allocate_bit(cs, true), !allocate_bit(cs, true),
                                 Bit::constant(true)};
  const auto number = packed<Cs>(bits);
  EXPECT_EQ(number.value, F::from_word(5));
  EXPECT_FALSE(number.is_constant);
  enforce_equal(cs, number, Number<Cs>::constant(F::from_word(5)));
  expect_tight(cs, 10);
}

}  // namespace
}  // namespace prover::circuit
