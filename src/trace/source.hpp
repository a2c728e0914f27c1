// SPDX-License-Identifier: Apache-2.0
// The named effect of this layer: files, standard input, gzip and zstd (recognised by content) as
// ByteSources; and bytes in memory as one, for tests.
#pragma once

#include <memory>
#include <string>

#include "trace/importer.hpp"

namespace assay::trace {

// "-" is standard input. Errors: the system's, a folder, a damaged compressed stream (at read()).
Result<std::unique_ptr<ByteSource>> open_source(const std::string& path);

std::unique_ptr<ByteSource> memory_source(std::string bytes, std::string name = "memory");

}  // namespace assay::trace
