// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "prover/bench/batch.hpp"
#include "prover/cli/command.hpp"

namespace prover::cli {

// The options that the command line gives, checked; they count in the order of the table, each
// option's in the order in which they were given. Errors are of the kind usage or too_large.
Result<bench::BatchOptions> batch_options(const Arguments& arguments);

}  // namespace prover::cli
