// SPDX-License-Identifier: Apache-2.0
// Traces written in another format, in pieces: to a file, or to stdout for "-".
#pragma once

#include <string>
#include <vector>

#include "cli/terminal.hpp"
#include "trace/events.hpp"

namespace assay::cli {

// `to` is one of the choices of --to. Errors: a format that takes one run and gets two, a file that
// cannot be written. On an error the file may hold a part.
Result<void> export_traces(const std::string& to, const std::vector<trace::Trace>& runs,
                           const std::string& path, Terminal& terminal);

}  // namespace assay::cli
