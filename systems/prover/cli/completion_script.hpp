// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace prover::cli {

// A script that a shell sources: it offers commands, options, their values and files.
std::string bash_completion();
std::string zsh_completion();
std::string fish_completion();

}  // namespace prover::cli
