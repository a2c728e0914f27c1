// SPDX-License-Identifier: Apache-2.0
// Whether a witness satisfies a circuit, for those who want to know why a proof would be refused.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "prover/files/r1cs.hpp"
#include "prover/files/wtns.hpp"

namespace prover::circuit {

// A constraint that fails. No values: witnesses are secrets.
struct Unsatisfied {
  std::uint32_t constraint = 0;  // counted from 0
  // The wires of A, B and C.
  std::array<std::vector<std::uint32_t>, 3> wires;

  // "constraint 17 is not satisfied: A (wires 1, 5) x B (wire 1) is not C (wires 1, 6 and 40 more)"
  std::string to_text() const;
};

// The first constraint that fails, or nothing. Errors: the two are not of one curve or have not the
// same number of wires, or either file is damaged; values are checked here. Reads both in place.
Result<std::optional<Unsatisfied>> first_unsatisfied(const files::R1cs& circuit,
                                                     const files::Wtns& witness);

}  // namespace prover::circuit
