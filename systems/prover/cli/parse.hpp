// SPDX-License-Identifier: Apache-2.0
// The command line of `prover bench batch`.
#pragma once

#include <span>
#include <string>

#include "prover/bench/batch.hpp"

namespace prover::cli {

// The options that the words (without program and command) give, checked. Errors are of the kind
// usage or too_large and name the option, with the nearest known one for an unknown one.
Result<bench::BatchOptions> parse_batch(std::span<const std::string> words);

}  // namespace prover::cli
