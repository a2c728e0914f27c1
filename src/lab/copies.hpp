// SPDX-License-Identifier: Apache-2.0
// Copies of a subject for calibration: identical ones under paths of other lengths, or differently
// laid-out ones that a relink command makes.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "model/subject.hpp"

namespace assay::lab {

// Where copies live, in the folder of the store.
inline constexpr const char* kControlFolder = "control";
inline constexpr const char* kCalibrateFolder = "calibrate";

// Removes copies that were made before `before_ms` (Unix time, milliseconds) from the folder of the
// store; with `dry_run` only counts. Returns their bytes.
std::uint64_t remove_copies(const std::string& store_folder, std::int64_t before_ms, bool dry_run);

// The subject, then `count` copies of its executable in folders of `folder` with names of different
// length (scripts: the same file again).
Result<std::vector<Subject>> identical_copies(const Subject& subject, const std::string& folder,
                                              std::uint32_t count);

// The subject as it was built last, then `count` copies: before each, /bin/sh runs `relink` with
// ASSAY_LAYOUT set to 1, 2, ..., which must lay the executable out anew in place. The user's
// executable is put back at the end, whatever happened. Errors: no such executable, a relink
// command that fails (its last lines) or leaves the file as it was every time.
Result<std::vector<Subject>> relinked_copies(const Subject& subject, const std::string& folder,
                                             std::uint32_t count, const std::string& relink,
                                             const std::atomic<bool>& interrupted);

}  // namespace assay::lab
