// SPDX-License-Identifier: Apache-2.0
// What a file is, told by its first bytes and never by its name, and what is said when it is given
// in the place of another.
#pragma once

#include <string>
#include <string_view>

#include "prover/base/result.hpp"
#include "prover/files/mapped_file.hpp"

namespace prover::files {

enum class FileKind {
  unknown,
  proving_key,
  witness,
  circuit,
  powers_of_tau,
  json,  // JSON that is none of the three below
  proof,
  publics,
  verification_key,
};

// Looks at the magic and, of JSON, for the names of members in the first 64 KiB: enough for
// messages. kind_of_json() reads the whole text.
FileKind kind_of_file(Bytes file);
FileKind kind_of_magic(std::string_view magic);
// Of the kinds that have no magic.
bool is_json(FileKind kind);

// "this is a witness (.wtns), not a proving key", and what to do about it: `hint` where nothing is
// known for the two. `path` is printed as it is.
tl::unexpected<Error> wrong_kind(FileKind is, FileKind wanted, const std::string& path,
                                 std::string_view hint);

}  // namespace prover::files
