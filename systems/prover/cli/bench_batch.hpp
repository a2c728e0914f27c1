// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

namespace prover::cli {

// `prover bench batch WORDS...`: runs, prints, and returns the exit status.
int bench_batch(std::span<const std::string> words);

}  // namespace prover::cli
