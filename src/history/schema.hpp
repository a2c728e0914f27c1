// SPDX-License-Identifier: Apache-2.0
// The tables of a store file and how older ones become today's. docs/record_format.md shows the
// same statements (a test compares); a change of either is a new version and a migration.
#pragma once

#include <string_view>

#include "base/result.hpp"
#include "history/sqlite.hpp"

namespace assay::history {

inline constexpr std::int64_t kApplicationId = 0x41535359;  // "ASSY"
inline constexpr std::int64_t kSchemaVersion = 1;

// The statements that make an empty file a store of kSchemaVersion.
std::string_view schema_sql();

// Makes the open file a store of today's schema: fills a new file, migrates an older store, refuses
// newer stores and files of other programs. All or nothing: after an Error the file is as it was.
Result<void> prepare_schema(const Database& database);
// The same where nothing may be written: an older store is refused too.
Result<void> check_schema(const Database& database);

}  // namespace assay::history
