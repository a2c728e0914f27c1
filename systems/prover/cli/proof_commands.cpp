// SPDX-License-Identifier: Apache-2.0
// The rows of the commands about keys and proofs.
#include "prover/cli/commands.hpp"

namespace prover::cli {

std::vector<Command> proof_commands() { return {}; }

}  // namespace prover::cli
