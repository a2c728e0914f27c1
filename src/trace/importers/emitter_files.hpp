// SPDX-License-Identifier: Apache-2.0
// Event files as programs with assay/trace.hpp leave them (docs/event_file_format.md): one file of
// one process, or the files of all processes of a run.
// Caveat: what did not fit was dropped by the program; it is counted, not known.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "trace/importer.hpp"

namespace assay::trace {

// "emitter": one file.
const Importer& emitter_importer();

// The files of one run as one Trace, on one clock; t = 0 is the start of the first one. `open`
// gives the file of an index below `count`, each once and one at a time. Errors name the file.
Result<Trace> read_emitter_files(
    std::size_t count, const std::function<Result<std::unique_ptr<ByteSource>>(std::size_t)>& open,
    const ImportOptions& options);

}  // namespace assay::trace
