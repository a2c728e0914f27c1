// SPDX-License-Identifier: Apache-2.0
// What a subject is on this machine: its executable, the digest of it, and copies of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "model/subject.hpp"

namespace assay::lab {

// The file that argv[0] names, looked up on PATH (the subject's own, when it sets one) and from its
// folder; nothing when there is none (TrialRunner::start says so in full).
std::optional<std::string> executable_of(const Subject& subject);

// Sets binary_digest (empty when there is no such file).
void digest_executable(Subject& subject);

// A subject that runs a byte-for-byte copy of the same executable from `folder`/<tag>/, under the
// same base name. For scripts and everything else that is no ELF file: the subject as it is.
// Errors: the copy cannot be written.
Result<Subject> copy_of(const Subject& subject, const std::string& folder, const std::string& tag);

}  // namespace assay::lab
