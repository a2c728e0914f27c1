// SPDX-License-Identifier: Apache-2.0
// What `prover info FILE` prints of a key, a witness, a circuit or one of snarkjs's JSON files.
// What the file is is told by its first bytes, not by its name.
#pragma once

#include <string>

#include "prover/base/result.hpp"

namespace prover::files {

// Text for people, or one JSON object with a "kind" and "schema_version" 1; either ends with a
// newline. Reads headers and section tables, and the sections that are cheap to check: not the
// points. A key with a known trapdoor is called INSECURE on the second line. No value of a witness
// is shown.
Result<std::string> describe(const std::string& path, bool json);

}  // namespace prover::files
