// SPDX-License-Identifier: Apache-2.0
// `assay compare NAME`: a comparison described in assay.toml, as if its options had been typed.
#pragma once

#include "base/result.hpp"
#include "cli/flags.hpp"

namespace assay::cli {

// The arguments themselves unless they are one plain NAME that an assay.toml upward from here has;
// then the options and commands of its table, with what was typed on the command line on top.
// Errors: the file's (file:line:column), a NAME that it does not have.
Result<Arguments> with_named_plan(const Arguments& arguments);

}  // namespace assay::cli
