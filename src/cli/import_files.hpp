// SPDX-License-Identifier: Apache-2.0
// Result files of other tools from the disk or the store.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "history/store.hpp"
#include "model/imported.hpp"
#include "report/imported.hpp"

namespace assay::cli {

// One file, or criterion's folder with all its new/ folders as one text, read and recognised as
// `format`, or by content when that is empty. "-" is standard input. Errors: cannot be read, larger
// than 64 MiB, no known format, a folder without results of criterion.
struct LoadedResults {
  ImportedFile stored = {};
  results::File file = {};
};
Result<LoadedResults> load_results(const std::string& path, const std::string& format);

// A side of a comparison: a file, criterion's folder, or an imported record of `store` (which may
// be null: then no record is found); with "@BUILD" behind it the build that counts.
Result<verdict::ImportedSide> load_side(const std::string& word, history::Store* store,
                                        const std::string& format);

}  // namespace assay::cli
