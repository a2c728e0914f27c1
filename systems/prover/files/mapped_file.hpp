// SPDX-License-Identifier: Apache-2.0
// A regular file, mapped for reading. Nothing is read until it is touched, so opening 500 MB takes
// no longer than opening 5. Caveat: a file that somebody cuts short while it is mapped ends the
// process (SIGBUS); writers here replace files by rename, which leaves an old mapping whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "prover/base/result.hpp"

namespace prover::files {

using Bytes = std::span<const std::byte>;

inline constexpr std::uint64_t kMostFileBytes = std::uint64_t{1} << 40;

// What is about to happen to a part of the mapping; only ever a hint.
enum class Use { sequential, random, soon, done };

class MappedFile {
 public:
  // Refuses what is missing, empty, larger than `most_bytes` or no regular file (a directory, a
  // pipe), each by name and without waiting for a pipe's other end.
  static Result<MappedFile> open(const std::string& path,
                                 std::uint64_t most_bytes = kMostFileBytes);

  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  // The whole file. Moving the object does not move the bytes.
  Bytes bytes() const { return {data_, size_}; }
  const std::string& path() const { return path_; }

  // Tells the system how `part` of bytes() will be used. `done` lets its pages go: they are read
  // again from the file when touched again.
  void advise(Bytes part, Use use) const;

 private:
  MappedFile(std::string path, const std::byte* data, std::size_t size)
      : path_(std::move(path)), data_(data), size_(size) {}

  std::string path_;
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace prover::files
