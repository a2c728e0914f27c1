// SPDX-License-Identifier: Apache-2.0
// A log as a user names it, read: a file (plain, gzip, zstd), "-" for standard input, or a folder
// that ASSAY_EVENTS named, with the emitter's file of each process.
#pragma once

#include <string>

#include "trace/importer.hpp"

namespace assay::trace {

// Errors: the system's, those of import_run, a folder without files of the emitter.
Result<Trace> load_trace(const std::string& path, const std::string& format,
                         const ImportOptions& options);

}  // namespace assay::trace
