// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "prover/cli/command.hpp"

namespace prover::cli {

std::string overview();                          // prover --help
std::string group_help(std::string_view first);  // prover circuit --help
std::string brief_help(const Command& command);  // -h: usage and options
std::string full_help(const Command& command);   // --help: with details and examples

}  // namespace prover::cli
