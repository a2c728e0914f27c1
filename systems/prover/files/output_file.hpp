// SPDX-License-Identifier: Apache-2.0
// Files that are there whole or not at all: what is written goes to a file without a name, and
// takes the target's only when every byte is on the disk. A process that is killed leaves nothing
// behind. On file systems without such files (O_TMPFILE) it goes to a temporary file beside the
// target, TARGET.tmp-PID-N, which a killed process does leave.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "prover/base/result.hpp"

namespace prover::files {

class OutputFile {
 public:
  // Refuses a target that exists and is no regular file. A symbolic link is followed: what it
  // points to is replaced. A path where no file can be (no such folder, not permitted) is a usage
  // error; what goes wrong later is not.
  static Result<OutputFile> create(const std::string& path);

  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&& other) noexcept;
  // Without finish(), what was written is gone and the target is as it was.
  ~OutputFile();

  // Appends. A full disk is reported at the write that met it or at a later one; after a failure
  // every further call fails likewise.
  Result<void> write(std::span<const std::byte> bytes);
  // Replaces bytes that were written already.
  Result<void> overwrite(std::uint64_t offset, std::span<const std::byte> bytes);
  std::uint64_t size() const { return size_; }
  // Flushes to the disk.
  Result<void> sync();
  // Flushes to the disk and puts the file in its place.
  Result<void> finish();

  const std::string& path() const { return path_; }

 private:
  OutputFile() = default;
  Result<void> flush();
  void discard();
  Result<void> stop(int error);
  template <class Take>
  int take_temporary(const Take& take);
  int take_name();

  std::string path_;
  std::string target_;
  std::string temporary_;  // empty while the file has no name
  int fd_ = -1;
  std::uint64_t size_ = 0;  // with what is still in buffer_
  int error_ = 0;           // the errno that ended the writing
  std::vector<std::byte> buffer_;
};

// Whether a file could be written there now: to be told before the work, not after it. Leaves
// nothing behind. Pipes and devices are not tried.
Result<void> check_writable(const std::string& path);

// A small file at once. A target that is a pipe or a device is written directly, and the process's
// own descriptors (/dev/stdout, /dev/fd/3) where they stand, whatever they lead to.
Result<void> write_file(const std::string& path, std::string_view content);
// Files that belong together: none takes its name before all are on the disk.
struct Content {
  std::string path;
  std::string text;
};
Result<void> write_files(std::span<const Content> files);

// Sections one after the other; the number and the sizes are filled in as they become known.
class SectionWriter {
 public:
  static Result<SectionWriter> create(const std::string& path, std::string_view magic,
                                      std::uint32_t version);
  Result<void> begin(std::uint32_t id);
  Result<void> write(std::span<const std::byte> bytes);
  Result<void> write_u32(std::uint32_t value);
  Result<void> write_u64(std::uint64_t value);
  // Bytes written to the open section so far.
  std::uint64_t section_size() const { return out_.size() - begin_; }
  Result<void> overwrite_u32(std::uint64_t offset_in_section, std::uint32_t value);
  Result<void> end();
  Result<void> finish();

 private:
  explicit SectionWriter(OutputFile out) : out_(std::move(out)) {}
  Result<void> write_raw(std::span<const std::byte> bytes);

  OutputFile out_;
  std::uint64_t begin_ = 0;  // of the open section's bytes; 0 = none is open
  std::uint32_t sections_ = 0;
};

}  // namespace prover::files
