// SPDX-License-Identifier: Apache-2.0
// A Trace whole, as JSON in columns: what assay keeps of a run, and what `assay trace export --to
// json` writes. The importer of the same name reads it back. docs/trace_json.md describes it.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "trace/events.hpp"

namespace assay::trace {

inline constexpr int kTraceJsonVersion = 1;

// Calls `sink` with pieces of the document in order; ends at the first error it returns.
Result<void> write_trace_json(const Trace& trace,
                              const std::function<Result<void>(std::string_view)>& sink);

// The same as one zstd frame.
Result<std::string> trace_json_zst(const Trace& trace);

}  // namespace assay::trace
