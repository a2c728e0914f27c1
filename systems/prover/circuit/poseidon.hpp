// SPDX-License-Identifier: Apache-2.0
// Poseidon and Merkle paths as circuits. Only fifth powers cost constraints (three each); what lies
// between them are sums, which grow by a term with every partial round.
#pragma once

#include <span>

#include "prover/circuit/bits.hpp"
#include "prover/circuit/poseidon_parameters.hpp"

namespace prover::circuit {

// A sum of wires and its value.
template <class Cs>
struct Number {
  typename Cs::Lc sum;
  typename Cs::Fr value;
  bool is_constant = false;

  static Number constant(const typename Cs::Fr& value) {
    Number number{{}, value, true};
    number.sum.add_constant(value);
    return number;
  }
  static Number wire(Variable variable, const typename Cs::Fr& value) {
    Number number{{}, value, false};
    number.sum.add(variable);
    return number;
  }
  // Adds scale x other.
  Number& add(const Number& other, const typename Cs::Fr& scale = Cs::Fr::one()) {
    sum.add(other.sum, scale);
    value += other.value * scale;
    is_constant = is_constant && other.is_constant;
    return *this;
  }
};

// The number that the bits are, least significant first.
template <ConstraintSystem Cs>
Number<Cs> packed(std::span<const Bit> bits) {
  using Fr = typename Cs::Fr;
  Number<Cs> number{{}, Fr::zero(), true};
  Fr power = Fr::one();
  for (const Bit& bit : bits) {
    add_bit(number.sum, bit, power);
    if (bit.value) number.value += power;
    number.is_constant = number.is_constant && bit.is_constant();
    power = power.doubled();
  }
  return number;
}

template <ConstraintSystem Cs>
void enforce_equal(Cs& cs, const Number<Cs>& a, const Number<Cs>& b) {
  cs.enforce_zero([&](auto& sum) { sum.add(a.sum).add(b.sum, -Cs::Fr::one()); });
}

// x^5: three constraints, none of a constant.
template <ConstraintSystem Cs>
Number<Cs> fifth_power(Cs& cs, const Number<Cs>& x) {
  const auto square = x.value.squared(), fourth = square.squared(), fifth = fourth * x.value;
  if (x.is_constant) return Number<Cs>::constant(fifth);
  const Variable x2 = cs.allocate(square), x4 = cs.allocate(fourth), x5 = cs.allocate(fifth);
  cs.enforce(x.sum, x.sum, x2);
  cs.enforce(x2, x2, x4);
  cs.enforce(x4, x.sum, x5);
  return Number<Cs>::wire(x5, fifth);
}

template <class Cs>
using NumberState = std::array<Number<Cs>, kPoseidonWidth>;

template <ConstraintSystem Cs>
NumberState<Cs> poseidon_permutation(Cs& cs, NumberState<Cs> state) {
  const auto& parameters = poseidon_parameters<typename Cs::Fr>();
  for (std::size_t round = 0; round < kPoseidonRounds; ++round) {
    for (std::size_t i = 0; i < kPoseidonWidth; ++i)
      state[i].add(Number<Cs>::constant(parameters.constants[round][i]));
    const std::size_t powers = is_full_round(round) ? kPoseidonWidth : 1;
    for (std::size_t i = 0; i < powers; ++i) state[i] = fifth_power(cs, state[i]);
    NumberState<Cs> mixed;
    for (std::size_t i = 0; i < kPoseidonWidth; ++i) {
      mixed[i].is_constant = true;
      for (std::size_t j = 0; j < kPoseidonWidth; ++j) mixed[i].add(state[j], parameters.mix[i][j]);
    }
    state = std::move(mixed);
  }
  return state;
}

// poseidon_hash() as a wire: 240 constraints for the powers (one of the first is of a constant) and
// one for the wire.
inline constexpr std::uint32_t kPoseidonConstraints = 241;

template <ConstraintSystem Cs>
Number<Cs> poseidon_hash(Cs& cs, const Number<Cs>& left, const Number<Cs>& right,
                         bool is_public = false) {
  const auto zero = Number<Cs>::constant(Cs::Fr::zero());
  const Number<Cs> hash = poseidon_permutation<Cs>(cs, {zero, left, right})[0];
  const Variable wire = is_public ? cs.allocate_public(hash.value) : cs.allocate(hash.value);
  const auto number = Number<Cs>::wire(wire, hash.value);
  enforce_equal(cs, hash, number);
  return number;
}

// A level of a Merkle path: `is_right` says that `node` is the right child of its parent. One
// constraint places the two, bit x (sibling - node) = left - node, and the hash is that of the
// other function. The bit is not checked here.
inline constexpr std::uint32_t kMerkleLevelConstraints = kPoseidonConstraints + 1;

template <ConstraintSystem Cs>
Number<Cs> merkle_parent(Cs& cs, const Number<Cs>& node, const Bit& is_right,
                         const typename Cs::Fr& sibling_value, bool is_public = false) {
  using Fr = typename Cs::Fr;
  const auto sibling = Number<Cs>::wire(cs.allocate(sibling_value), sibling_value);
  const Fr left_value = is_right.value ? sibling_value : node.value;
  const Variable left_wire = cs.allocate(left_value);
  cs.enforce(
      operand(is_right, Fr::one()),
      [&](auto& sum) { sum.add(sibling.sum).add(node.sum, -Fr::one()); },
      [&](auto& sum) { sum.add(left_wire).add(node.sum, -Fr::one()); });
  const auto left = Number<Cs>::wire(left_wire, left_value);
  Number<Cs> right = node;
  right.add(sibling).add(left, -Fr::one());
  return poseidon_hash(cs, left, right, is_public);
}

// The root above `leaf`, from the leaf's level up. As many bits as siblings, at least one.
template <ConstraintSystem Cs>
Number<Cs> merkle_root(Cs& cs, Number<Cs> node, std::span<const Bit> bits,
                       std::span<const typename Cs::Fr> siblings, bool is_public = false) {
  for (std::size_t i = 0; i < siblings.size(); ++i)
    node = merkle_parent(cs, node, bits[i], siblings[i], is_public && i + 1 == siblings.size());
  return node;
}

// Statement: I know a leaf and a path of siblings.size() levels from it to the public root.
// kMerklePathConstraints a level.
inline constexpr std::uint32_t kMerklePathConstraints = kMerkleLevelConstraints + 1;

template <ConstraintSystem Cs>
void merkle_path(Cs& cs, const typename Cs::Fr& leaf, const std::vector<bool>& is_right,
                 std::span<const typename Cs::Fr> siblings) {
  std::vector<Bit> bits;
  bits.reserve(is_right.size());
  for (const bool value : is_right) bits.push_back(allocate_bit(cs, value));
  merkle_root<Cs>(cs, Number<Cs>::wire(cs.allocate(leaf), leaf), bits, siblings, true);
}

}  // namespace prover::circuit
