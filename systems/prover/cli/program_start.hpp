// SPDX-License-Identifier: Apache-2.0
// What every program of ours does first and last.
#pragma once

#include <string>
#include <vector>

#include "prover/base/result.hpp"

namespace prover::cli {

// Thread stacks, a reserve of memory for the message about its end, files that others cut short,
// limits on the size of files.
void prepare_program();
// `run` on the words of the command line. What it throws, and its Error, become a message and an
// exit status.
int run_program(int argc, char** argv, Result<int> (*run)(const std::vector<std::string>& words));

}  // namespace prover::cli
