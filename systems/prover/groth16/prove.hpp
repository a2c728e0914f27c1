// SPDX-License-Identifier: Apache-2.0
// Makes Groth16 proofs from a key and a witness (sums.hpp says of what they are made). A proof
// leaves prove() only when it verifies.
#pragma once

#include <string>
#include <vector>

#include "prover/files/json.hpp"
#include "prover/files/wtns.hpp"
#include "prover/files/zkey.hpp"
#include "prover/groth16/stages.hpp"

namespace prover::groth16 {

struct ProveOptions {
  unsigned threads = 1;
  // The mapping behind the key, when its pages may go as soon as a section was used: then the
  // process never holds much more than the largest section. Null keeps them, for the next proof.
  const files::MappedFile* release = nullptr;
};

struct Proven {
  files::ProofText proof;
  std::vector<files::Integer> publics;  // outputs and public inputs, in the order of wires
  std::vector<StageTime> stages;
};

// Errors: curves that differ, a witness of another circuit, and whatever is wrong inside the files,
// by section and offset: values at or above a prime, points that are not on the curve. When the
// finished proof does not verify, the witness does not satisfy the circuit (or the key is not what
// it says): ErrorKind::self_check. `key_path` and `witness_path` are for messages.
Result<Proven> prove(const files::Zkey& key, const std::string& key_path,
                     const files::Wtns& witness, const std::string& witness_path,
                     const ProveOptions& options);

}  // namespace prover::groth16
