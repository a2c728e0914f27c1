// SPDX-License-Identifier: Apache-2.0
// Poseidon and Merkle paths as circuits. Only fifth powers cost constraints, three each; between
// them are sums, which grow by a term with every partial round. So the wires are what goes into the
// powers, and what comes out of them is a sum of later wires: long sums stand in C alone, which
// keys do not store, and A and B stay short. Tried: wires for what comes out; 11 times the
// coefficients in the key.
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

template <class Cs>
using NumberState = std::array<Number<Cs>, kPoseidonWidth>;

namespace poseidon_parts {

// A fifth power of which the last constraint is still to come.
template <class Cs>
struct Power {
  Number<Cs> x;
  Variable fourth;
  typename Cs::Fr value;
};

template <ConstraintSystem Cs>
Power<Cs> begin_power(Cs& cs, const Number<Cs>& x) {
  const auto square = x.value.squared(), fourth = square.squared();
  const Variable x2 = cs.allocate(square), x4 = cs.allocate(fourth);
  cs.enforce(x.sum, x.sum, x2);
  cs.enforce(x2, x2, x4);
  return {x, x4, fourth * x.value};
}
// The power is `y`.
template <ConstraintSystem Cs>
void end_power(Cs& cs, const Power<Cs>& power, const Number<Cs>& y) {
  cs.enforce(power.fourth, power.x.sum, y.sum);
}
// The power as a wire.
template <ConstraintSystem Cs>
Number<Cs> wired(Cs& cs, const Power<Cs>& power) {
  const auto y = Number<Cs>::wire(cs.allocate(power.value), power.value);
  end_power(cs, power, y);
  return y;
}

// The sum of factors[j] state[j], and the constant.
template <class Cs>
Number<Cs> combined(const PoseidonState<typename Cs::Fr>& factors, const NumberState<Cs>& state,
                    const typename Cs::Fr& constant) {
  Number<Cs> sum = Number<Cs>::constant(constant);
  for (std::size_t j = 0; j < kPoseidonWidth; ++j) sum.add(state[j], factors[j]);
  return sum;
}

// All of these take the state with the round's constants added, and give the next one with those of
// the next round, `next`.

// The first element is a constant here, so there are two powers: wires.
template <ConstraintSystem Cs>
void first_round(Cs& cs, NumberState<Cs>& state, const PoseidonState<typename Cs::Fr>& next) {
  const auto& mix = poseidon_parameters<typename Cs::Fr>().mix;
  const auto& x = state[0].value;
  state[0] = Number<Cs>::constant(x.squared().squared() * x);
  for (std::size_t i = 1; i < kPoseidonWidth; ++i) state[i] = wired(cs, begin_power(cs, state[i]));
  const NumberState<Cs> powers = state;
  for (std::size_t i = 0; i < kPoseidonWidth; ++i) state[i] = combined<Cs>(mix[i], powers, next[i]);
}

// The next state is three wires, and the powers are sums of them.
template <ConstraintSystem Cs>
void full_round(Cs& cs, NumberState<Cs>& state, const PoseidonState<typename Cs::Fr>& next) {
  using Fr = typename Cs::Fr;
  const auto& parameters = poseidon_parameters<Fr>();
  const std::array<Power<Cs>, kPoseidonWidth> powers = {
      begin_power(cs, state[0]), begin_power(cs, state[1]), begin_power(cs, state[2])};
  for (std::size_t i = 0; i < kPoseidonWidth; ++i) {
    Fr value = next[i];
    for (std::size_t j = 0; j < kPoseidonWidth; ++j)
      value += parameters.mix[i][j] * powers[j].value;
    state[i] = Number<Cs>::wire(cs.allocate(value), value);
  }
  for (std::size_t i = 0; i < kPoseidonWidth; ++i) {
    Fr constant;
    for (std::size_t j = 0; j < kPoseidonWidth; ++j) constant -= parameters.unmix[i][j] * next[j];
    end_power(cs, powers[i], combined<Cs>(parameters.unmix[i], state, constant));
  }
}

// The first element of the next state is a wire; the power and the other two are sums.
template <ConstraintSystem Cs>
void partial_round(Cs& cs, NumberState<Cs>& state, const PoseidonState<typename Cs::Fr>& next) {
  using Fr = typename Cs::Fr;
  const auto& parameters = poseidon_parameters<Fr>();
  const auto& mix = parameters.mix;
  const Power<Cs> power = begin_power(cs, state[0]);
  const Fr value =
      mix[0][0] * power.value + mix[0][1] * state[1].value + mix[0][2] * state[2].value + next[0];
  const auto wire = Number<Cs>::wire(cs.allocate(value), value);
  state[0] = wire;
  state[0] = combined<Cs>(parameters.first, state, -(parameters.first[0] * next[0]));
  end_power(cs, power, state[0]);
  state = {wire, combined<Cs>(mix[1], state, next[1]), combined<Cs>(mix[2], state, next[2])};
}

// Only the first element matters in the end.
template <ConstraintSystem Cs>
Number<Cs> last_round(Cs& cs, const NumberState<Cs>& state, bool is_public) {
  const auto& parameters = poseidon_parameters<typename Cs::Fr>();
  const Power<Cs> power = begin_power(cs, state[0]);
  const auto y = wired(cs, begin_power(cs, state[1])), z = wired(cs, begin_power(cs, state[2]));
  const auto& factors = parameters.mix[0];
  const auto value = factors[0] * power.value + factors[1] * y.value + factors[2] * z.value;
  const auto hash =
      Number<Cs>::wire(is_public ? cs.allocate_public(value) : cs.allocate(value), value);
  end_power(cs, power, combined<Cs>(parameters.first, {hash, y, z}, Cs::Fr::zero()));
  return hash;
}

}  // namespace poseidon_parts

// poseidon_hash() of the parameters, as a wire: 80 powers, since one of the first is of a constant.
inline constexpr std::uint32_t kPoseidonConstraints = 240;

template <ConstraintSystem Cs>
Number<Cs> poseidon_hash(Cs& cs, const Number<Cs>& left, const Number<Cs>& right,
                         bool is_public = false) {
  const auto& constants = poseidon_parameters<typename Cs::Fr>().constants;
  NumberState<Cs> state = {Number<Cs>::constant(Cs::Fr::zero()), left, right};
  for (std::size_t i = 0; i < kPoseidonWidth; ++i)
    state[i].add(Number<Cs>::constant(constants[0][i]));
  poseidon_parts::first_round(cs, state, constants[1]);
  for (std::size_t round = 1; round + 1 < kPoseidonRounds; ++round)
    if (is_full_round(round))
      poseidon_parts::full_round(cs, state, constants[round + 1]);
    else
      poseidon_parts::partial_round(cs, state, constants[round + 1]);
  return poseidon_parts::last_round(cs, state, is_public);
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
