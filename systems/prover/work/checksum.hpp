// SPDX-License-Identifier: Apache-2.0
// Reads files of keys once through, hashing what it reads.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "prover/files/mapped_file.hpp"

namespace prover::work {

// Takes a part of a file, in order; `offset` from its start.
using TakePart = std::function<void(std::uint64_t offset, files::Bytes part)>;

// Hands the file over in parts that are private copies, so that what is hashed is what is used, and
// lets its pages go. With `sha256` (64 hexadecimal digits) a file of another checksum is an Error,
// after all parts were taken. Errors: ErrorKind::cancelled, once `stop` is requested.
Result<void> read_through(const files::MappedFile& file, const std::optional<std::string>& sha256,
                          const std::stop_token& stop, const TakePart& take);

}  // namespace prover::work
