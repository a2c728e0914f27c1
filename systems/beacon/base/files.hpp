// SPDX-License-Identifier: Apache-2.0
// Whole files: read after their size is known to be sensible, written whole or not at all.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "beacon/base/bytes.hpp"

namespace beacon {

// Errors: cannot be read, or larger than `limit` bytes (checked before anything is allocated).
Result<std::vector<std::uint8_t>> read_file(const std::string& path, std::uint64_t limit);

// Writes beside the path and renames, so that whoever reads sees the old file or the new one.
Status write_file(const std::string& path, View bytes);

// Errors: something of what was printed is lost (a full disk, a reader that is gone).
Status finish_output();

}  // namespace beacon
