// SPDX-License-Identifier: Apache-2.0
// Looks at all of a key at once: what prove() checks as it goes, and what it leaves to the proof's
// own verification.
#pragma once

#include <functional>
#include <vector>

#include "prover/files/zkey.hpp"

namespace prover::groth16 {

struct CheckOptions {
  unsigned threads = 1;
  // Told what is being looked at ("B1"), and whether to go on.
  std::function<bool(const std::string&)> progress;
};

// Every fault found, the first of each section; none when the key is sound:
// - all points on their curves and in their groups (of large sections by sums with random
//   coefficients: a bad point escapes with a probability below 2^-64);
// - coefficients in range;
// - no infinity where the header must have none, beta1 and beta2, delta1 and delta2, B1 and B2 the
//   same multiples in both groups.
// That the key belongs to a circuit cannot be seen without it: 'snarkjs zkey verify' does that.
// Errors: ErrorKind::cancelled; no random bytes.
Result<std::vector<Error>> check(const files::Zkey& key, const CheckOptions& options);

}  // namespace prover::groth16
