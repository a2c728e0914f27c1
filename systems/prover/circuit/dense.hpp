// SPDX-License-Identifier: Apache-2.0
// A chain x -> x^2 + x + c: every wire but the constant is a full-size element of the field, and
// every constraint has few terms. The heaviest load for multi-scalar multiplications of its size.
#pragma once

#include "prover/circuit/constraint_system.hpp"

namespace prover::circuit {

inline constexpr std::uint64_t kDenseConstant = 7;  // c

// `steps` constraints exactly and steps + 2 wires: 1, the last x, and the others. Statement: I know
// an x that, after so many steps, becomes the public one. steps >= 1.
template <ConstraintSystem Cs>
void dense(Cs& cs, std::uint32_t steps, const typename Cs::Fr& start) {
  using Fr = typename Cs::Fr;
  const Fr constant = Fr::from_word(kDenseConstant);
  Fr value = start;
  Variable x = cs.allocate(value);
  for (std::uint32_t i = 1; i <= steps; ++i) {
    value = value.squared() + value + constant;
    const Variable next = i == steps ? cs.allocate_public(value) : cs.allocate(value);
    cs.enforce(x, x, [&](auto& sum) { sum.add_constant(-constant).subtract(x).add(next); });
    x = next;
  }
}

}  // namespace prover::circuit
