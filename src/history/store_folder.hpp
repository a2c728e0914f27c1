// SPDX-License-Identifier: Apache-2.0
// Where the store file lies on the disk.
#pragma once

#include <string>

#include "base/result.hpp"

namespace assay::history {

// Makes sure that `path` can be a store file: creates a missing folder named .assay with a
// .gitignore of "*", so that git never sees the store; any other folder must exist. Errors: the
// path is a folder, the folder is missing or cannot be made.
Result<void> prepare_folder(const std::string& path);

// Whether SQLite can work on the existing file `path`: it and its folder may be written, and
// the disk is not full.
bool may_be_written(const std::string& path);

}  // namespace assay::history
