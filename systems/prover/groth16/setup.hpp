// SPDX-License-Identifier: Apache-2.0
// Makes a proving key by one party who could keep the trapdoor: for tests and benchmarks only.
// Whoever knows it can prove what is false. Keys that people rely on come from a ceremony
// (snarkjs powersoftau and groth16 setup / zkey contribute).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "prover/files/r1cs.hpp"

namespace prover::groth16 {

struct SetupOptions {
  unsigned threads = 1;
  // With a seed the same circuit gives the same key, and everybody knows its trapdoor; without, it
  // is drawn from getrandom() and forgotten.
  std::optional<std::uint64_t> seed;
  // Told what part of the work is done, in [0, 1], and whether to go on.
  std::function<bool(double)> progress;
};

// Rows of the domain that a circuit needs: its constraints, and one for the constant 1 and each
// public value, which keep their points apart.
std::uint64_t rows_needed(const files::R1cs& circuit);

// Writes the key, marked INSECURE; it appears whole or not at all. Errors: a broken circuit, one
// that is too large for the field's roots of unity, a full disk, ErrorKind::cancelled.
Result<void> setup(const files::R1cs& circuit, const std::string& circuit_path,
                   const std::string& key_path, const SetupOptions& options);

}  // namespace prover::groth16
