// SPDX-License-Identifier: Apache-2.0
#include "prover/circuit/bits.hpp"

#include <functional>

#include "prover/circuit/test_support.hpp"

namespace prover::circuit {
namespace {

using F = field::Bn254Fr;
using Cs = R1csRecorder<F>;

// Every combination of kinds and values of three operands.
void for_all(const std::function<void(Cs&, Bit, Bit, Bit)>& check) {
  const auto make = [](Cs& cs, int choice) {
    const bool value = (choice & 1) != 0;
    if (choice < 2) return Bit::constant(value);
    return choice < 4 ? allocate_bit(cs, value) : !allocate_bit(cs, !value);
  };
  for (int i = 0; i < 6 * 6 * 6; ++i) {
    Cs cs;
    const Bit a = make(cs, i % 6), b = make(cs, i / 6 % 6), c = make(cs, i / 36);
    const std::size_t inputs = cs.wires();
    check(cs, a, b, c);
    expect_tight(cs, 20, inputs);
  }
}

// What the circuit can know of the bit from its wire.
bool value_in_witness(const Cs& cs, const Bit& bit) {
  if (bit.is_constant()) return bit.value;
  const F value = cs.witness()[wire_of(bit.variable, cs.publics())];
  return (value == F::one()) != (bit.kind == Bit::Kind::negated);
}

TEST(Bits, FunctionsOfTwoAndThree) {
  for_all([](Cs& cs, Bit a, Bit b, Bit c) {
    const bool x = a.value, y = b.value, z = c.value;
    const struct {
      Bit got;
      bool expected;
    } cases[] = {
        {bit_and(cs, a, b), x && y},
        {bit_xor(cs, a, b), x != y},
        {bit_choose(cs, a, b, c), x ? y : z},
        {bit_majority(cs, a, b, c), (x && y) || (x && z) || (y && z)},
    };
    for (const auto& one : cases) {
      EXPECT_EQ(one.got.value, one.expected);
      EXPECT_EQ(value_in_witness(cs, one.got), one.expected);
    }
    const bool constant = a.is_constant() && b.is_constant() && c.is_constant();
    EXPECT_TRUE(!constant || cs.constraints() == 0);
  });
}

TEST(Words, RotateAndShiftAsNumbersDo) {
  const std::uint32_t value = 0x80f1234d;
  const auto number = [](const Word& word) {
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < 32; ++i) sum |= std::uint32_t{word[i].value} << i;
    return sum;
  };
  for (const int by : {0, 1, 7, 31}) {
    EXPECT_EQ(number(rotated_right(constant_word(value), by)), std::rotr(value, by));
    EXPECT_EQ(number(shifted_right(constant_word(value), by)), value >> by);
  }
}

TEST(Words, SumsAreModulo32Bits) {
  Cs cs;
  std::vector<Word> words;
  std::uint32_t expected = 0;
  for (const std::uint32_t value : {0xffffffffu, 0x80000001u, 0xdeadbeefu, 5u}) {
    Word word = constant_word(value);
    if (value != 5)
      for (Bit& bit : word) bit = allocate_bit(cs, bit.value);
    words.push_back(word);
    expected += value;
  }
  const std::uint32_t before = cs.constraints();
  const Word sum = word_sum(cs, words, true);
  for (std::size_t i = 0; i < 32; ++i) {
    EXPECT_EQ(sum[i].value, (expected >> i & 1) != 0);
    EXPECT_EQ(sum[i].variable.id, 32 - i) << "publics, the most significant bit first";
  }
  EXPECT_EQ(cs.constraints() - before, 35u) << "3 x (2^32 - 1) + 5 has 34 bits";
  expect_tight(cs, 200);
  EXPECT_TRUE(word_sum(cs, std::array{constant_word(1), constant_word(2)})[0].is_constant());
}

}  // namespace
}  // namespace prover::circuit
