// SPDX-License-Identifier: Apache-2.0
// Words of a command line to Arguments, by the rows of a CommandSpec.
#pragma once

#include <span>
#include <string>

#include "cli/flags.hpp"

namespace assay::cli {

// The command line of `spec` without the program's and the command's name. Options may stand
// before, between and behind positionals; everything behind `--` is the trailing command,
// untouched. When -h or --help is among the options, the rest is not checked. Errors: unknown
// option (with the nearest one), missing or superfluous value, an option given twice, a value that
// is not among the choices, too few or too many positionals.
Result<Arguments> parse(const CommandSpec& spec, std::span<const std::string> words);

// The part before the command's name: `assay --store X list` has the two words in front of "list".
// Returns how many words of `words` are global options with their values.
std::size_t count_global_words(std::span<const std::string> words);

}  // namespace assay::cli
