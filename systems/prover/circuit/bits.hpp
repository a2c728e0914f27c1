// SPDX-License-Identifier: Apache-2.0
// Bits and 32-bit words in circuits. What is known when the circuit is written costs nothing: a
// bit may be a constant, and negation is free.
#pragma once

#include <array>
#include <bit>
#include <span>

#include "prover/circuit/constraint_system.hpp"

namespace prover::circuit {

// A constant, a wire that is 0 or 1, or the negation of one; always with its value.
struct Bit {
  enum class Kind { constant, wire, negated };
  Kind kind = Kind::constant;
  Variable variable{};
  bool value = false;

  static Bit constant(bool value) { return {Kind::constant, {}, value}; }
  bool is_constant() const { return kind == Kind::constant; }
  Bit operator!() const {
    constexpr Kind kNegation[] = {Kind::constant, Kind::negated, Kind::wire};
    return {kNegation[static_cast<int>(kind)], variable, !value};
  }
};

// sum += coefficient x bit
template <class Lc>
void add_bit(Lc& sum, const Bit& bit, const typename Lc::Fr& coefficient) {
  if (bit.kind == Bit::Kind::wire) sum.add(bit.variable, coefficient);
  if (bit.kind == Bit::Kind::negated) sum.add_constant(coefficient).add(bit.variable, -coefficient);
  if (bit.kind == Bit::Kind::constant && bit.value) sum.add_constant(coefficient);
}

// A wire that constraints elsewhere keep 0 or 1.
template <ConstraintSystem Cs>
Bit unchecked_bit(Cs& cs, bool value) {
  using Fr = typename Cs::Fr;
  return {Bit::Kind::wire, cs.allocate(value ? Fr::one() : Fr::zero()), value};
}

// x (x - 1) = 0. One constraint.
template <ConstraintSystem Cs>
Bit allocate_bit(Cs& cs, bool value, bool is_public = false) {
  using Fr = typename Cs::Fr;
  const Fr number = value ? Fr::one() : Fr::zero();
  const Variable x = is_public ? cs.allocate_public(number) : cs.allocate(number);
  cs.enforce(
      x, [&](auto& sum) { sum.add(x).add_constant(-Fr::one()); }, Zero());
  return {Bit::Kind::wire, x, value};
}

// Adds scale x bit to a sum; for use as an operand of enforce().
template <class Fr>
auto operand(const Bit& bit, const Fr& scale) {
  return [&bit, scale](auto& sum) { add_bit(sum, bit, scale); };
}

// One constraint, unless one of them is constant.
template <ConstraintSystem Cs>
Bit bit_and(Cs& cs, const Bit& a, const Bit& b) {
  const auto one = Cs::Fr::one();
  if (a.is_constant()) return a.value ? b : a;
  if (b.is_constant()) return b.value ? a : b;
  const Bit c = unchecked_bit(cs, a.value && b.value);
  cs.enforce(operand(a, one), operand(b, one), operand(c, one));
  return c;
}

// 2 a b = a + b - c
template <ConstraintSystem Cs>
Bit bit_xor(Cs& cs, const Bit& a, const Bit& b) {
  const auto one = Cs::Fr::one();
  if (a.is_constant()) return a.value ? !b : b;
  if (b.is_constant()) return b.value ? !a : a;
  const Bit c = unchecked_bit(cs, a.value != b.value);
  cs.enforce(operand(a, one.doubled()), operand(b, one), [&](auto& sum) {
    add_bit(sum, a, one);
    add_bit(sum, b, one);
    add_bit(sum, c, -one);
  });
  return c;
}

// a ? b : c, as a (b - c) = result - c
template <ConstraintSystem Cs>
Bit bit_choose(Cs& cs, const Bit& a, const Bit& b, const Bit& c) {
  const auto one = Cs::Fr::one();
  if (a.is_constant()) return a.value ? b : c;
  if (b.is_constant() && c.is_constant()) {
    if (b.value == c.value) return b;
    return b.value ? a : !a;
  }
  const Bit result = unchecked_bit(cs, a.value ? b.value : c.value);
  const auto difference = [&](const Bit& x) {
    return [&, one](auto& sum) {
      add_bit(sum, x, one);
      add_bit(sum, c, -one);
    };
  };
  cs.enforce(operand(a, one), difference(b), difference(result));
  return result;
}

// What two or three of them are. Two constraints: m = b c, then a (b + c - 2 m) = result - m.
template <ConstraintSystem Cs>
Bit bit_majority(Cs& cs, const Bit& a, const Bit& b, const Bit& c) {
  const auto one = Cs::Fr::one();
  if (a.is_constant()) return a.value ? !bit_and(cs, !b, !c) : bit_and(cs, b, c);
  if (b.is_constant() || c.is_constant())
    return b.is_constant() ? bit_majority(cs, b, a, c) : bit_majority(cs, c, a, b);
  const Bit both = bit_and(cs, b, c);
  const Bit result = unchecked_bit(cs, (b.value && c.value) || (a.value && b.value != c.value));
  cs.enforce(
      operand(a, one),
      [&](auto& sum) {
        add_bit(sum, b, one);
        add_bit(sum, c, one);
        add_bit(sum, both, -one.doubled());
      },
      [&](auto& sum) {
        add_bit(sum, result, one);
        add_bit(sum, both, -one);
      });
  return result;
}

// Least significant bit first.
using Word = std::array<Bit, 32>;

inline Word constant_word(std::uint32_t value) {
  Word word;
  for (std::size_t i = 0; i < word.size(); ++i) word[i] = Bit::constant((value >> i & 1) != 0);
  return word;
}

inline Word rotated_right(const Word& word, std::size_t by) {
  Word result;
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = word[(i + by) % 32];
  return result;
}

inline Word shifted_right(const Word& word, std::size_t by) {
  Word result;  // zeros
  for (std::size_t i = 0; i + by < result.size(); ++i) result[i] = word[i + by];
  return result;
}

template <ConstraintSystem Cs>
Word word_xor(Cs& cs, const Word& a, const Word& b, const Word& c) {
  Word result;
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = bit_xor(cs, bit_xor(cs, a[i], b[i]), c[i]);
  return result;
}

// The sum modulo 2^32: its bits and those of the carry, each one constraint, and one more that says
// that they are the sum. Wires are allocated from the most significant bit down. Free when all are
// constant.
template <ConstraintSystem Cs>
Word word_sum(Cs& cs, std::span<const Word> words, bool is_public = false) {
  using Fr = typename Cs::Fr;
  std::uint64_t value = 0, most = 0;
  bool is_constant = true;
  for (const Word& word : words)
    for (std::size_t i = 0; i < word.size(); ++i) {
      value += std::uint64_t{word[i].value} << i;
      most += std::uint64_t{!word[i].is_constant() || word[i].value} << i;
      is_constant &= word[i].is_constant();
    }
  if (is_constant && !is_public) return constant_word(static_cast<std::uint32_t>(value));
  Word result;
  typename Cs::Lc balance;
  for (int i = std::max(static_cast<int>(std::bit_width(most)), 32) - 1; i >= 0; --i) {
    const Bit bit = allocate_bit(cs, (value >> i & 1) != 0, is_public && i < 32);
    add_bit(balance, bit, -Fr::from_word(std::uint64_t{1} << i));
    if (i < 32) result[static_cast<std::size_t>(i)] = bit;
  }
  for (const Word& word : words)
    for (std::size_t i = 32; i-- > 0;)
      add_bit(balance, word[i], Fr::from_word(std::uint64_t{1} << i));
  cs.enforce_zero(balance);
  return result;
}

}  // namespace prover::circuit
