// SPDX-License-Identifier: Apache-2.0
// Completion scripts for shells, made from the option table.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "cli/flags.hpp"

namespace assay::cli {

std::string bash_completion(std::span<const CommandSpec* const> specs);
std::string zsh_completion(std::span<const CommandSpec* const> specs);
std::string fish_completion(std::span<const CommandSpec* const> specs);

}  // namespace assay::cli
