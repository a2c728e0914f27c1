// SPDX-License-Identifier: Apache-2.0
// Any bytes as a .r1cs: every term that the reader gives has a wire of the circuit and a value that
// can be read, and there are as many constraints as the header says or an error.
#include "prover/files/r1cs.hpp"
#include "prover_fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace prover::files;
  const auto circuit = R1cs::parse(prover::fuzz::bytes_of(data, size), "fuzz.r1cs");
  if (!circuit) {
    prover::fuzz::check_error(circuit.error());
    return 0;
  }
  std::uint64_t seen = 0;
  const auto read = each_constraint(*circuit, [&](const R1csConstraint& constraint) {
    PROVER_CHECK(constraint.index == seen++, "constraints in order");
    for (const R1csTerms& terms : {constraint.a, constraint.b, constraint.c})
      for (std::uint32_t i = 0; i < terms.size(); ++i) {
        PROVER_CHECK(terms[i].wire < circuit->counts.wires, "a wire of the circuit");
        prover::fuzz::touch({terms[i].value, 32});
      }
  });
  if (read)
    PROVER_CHECK(seen == circuit->constraints, "as many constraints as the header says");
  else
    prover::fuzz::check_error(read.error());
  prover::fuzz::touch(circuit->wire_labels);
  return 0;
}
