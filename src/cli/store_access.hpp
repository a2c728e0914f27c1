// SPDX-License-Identifier: Apache-2.0
// How commands find the store. Commands that only read never create one.
#pragma once

#include <memory>
#include <string>

#include "base/result.hpp"
#include "cli/flags.hpp"
#include "history/store.hpp"

namespace assay::cli {

// Where the store is or would be (history::locate_store with --store and the current folder).
Result<std::string> store_path(const Arguments& arguments);

// The store, created when there is none. For commands that measure.
Result<std::unique_ptr<history::Store>> open_or_create_store(const Arguments& arguments);

// The store, which must exist: "no store at ... : nothing has been recorded here". Where it may not
// be written the second one reads it as it lies there.
Result<std::unique_ptr<history::Store>> open_existing_store(const Arguments& arguments);
Result<std::unique_ptr<history::Store>> open_store_to_read(const Arguments& arguments);

// The current time, Unix milliseconds.
std::int64_t now_ms();

}  // namespace assay::cli
