// SPDX-License-Identifier: Apache-2.0
// Logs that are known without rules: key=value lines, JSON lines, plain text with timestamps: rules
// are guessed from the log's own shape (suggest.hpp). And the close events of Rust's tracing, as
// text and as JSON, which carry their durations. Caveat: what is guessed may be wrong; the warning
// says how to write it down.
#pragma once

#include "trace/importer.hpp"

namespace assay::trace {

const Importer& guessing_importer();  // "text"
const Importer& tracing_importer();   // "tracing"

}  // namespace assay::trace
