// SPDX-License-Identifier: Apache-2.0
// The words behind a command against its row.
#pragma once

#include <span>
#include <string>

#include "prover/cli/command.hpp"

namespace prover::cli {

// Errors are of the kind usage and name the command; an unknown option comes with the nearest known
// one. With --help or -h among the words nothing else is checked. Words behind -- are positionals.
Result<Arguments> parse(const Command& command, std::span<const std::string> words);

}  // namespace prover::cli
