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

// `raw` itself, or what it holds when its first bytes are those of gzip (members one behind the
// other are one stream) or zstd (frames likewise). Memory: a block, and for zstd a window of at
// most 128 MiB; how much may come out is the reader's to limit (ImportOptions::most_bytes). Reading
// a damaged or cut stream is an error that names the offset in `raw`.
Result<std::unique_ptr<ByteSource>> decompressed(std::unique_ptr<ByteSource> raw);

std::unique_ptr<ByteSource> memory_source(std::string bytes, std::string name = "memory");

}  // namespace assay::trace
