// SPDX-License-Identifier: Apache-2.0
// Help texts, all made from the option table: one screen, the whole, and the manual's reference
// page.
#pragma once

#include <span>
#include <string>

#include "cli/flags.hpp"

namespace assay::cli {

// At most 24 lines of 80 columns: usage, the common options, the names of the others.
std::string brief_help(const CommandSpec& spec);
// Every option with its long help, wrapped at 80 columns, and the examples.
std::string full_help(const CommandSpec& spec);
// What `assay` alone and `assay help` print.
std::string overview(std::span<const CommandSpec* const> specs);
// docs/manual/reference.md.
std::string reference_page(std::span<const CommandSpec* const> specs);

}  // namespace assay::cli
