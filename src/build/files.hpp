// SPDX-License-Identifier: Apache-2.0
// Files and locks of this folder.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace assay::build {

// Creates `path` and its parents. The error names the folder and the way out.
Result<void> make_folders(const std::string& path);

// The same with a .gitignore of "*" inside, lest the user's git sees a store in the checkout.
Result<void> make_hidden_folder(const std::string& path);

// Replaces the file by a rename: a reader sees the old bytes or the new ones, never a part.
Result<void> write_file(const std::string& path, std::string_view bytes);

// Removes a file or a whole tree, also below folders that deny writing; never follows a link.
Result<void> remove_tree(const std::string& path);

// The way out of a full disk.
inline constexpr const char* kFreeSpace =
    "free some space: 'assay cache --limit 1GiB' removes builds; 'assay resume' then goes on";
// Whether a program said that the disk, or what one may use of it, is full (in English).
bool says_disk_full(std::string_view text);
// Bytes that are left for us where `path` lies: 0 without an inode; nothing when unknown.
std::optional<std::uint64_t> bytes_left(const std::string& path);

// Bytes of disk below `path`; hard links count once, links are not followed.
std::uint64_t disk_bytes(const std::string& path);

// A folder in $TMPDIR that goes when the object goes.
class TemporaryFolder {
 public:
  static Result<TemporaryFolder> make();
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();
  const std::string& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

// flock on a file that is never removed. Held until the object goes, or, when the descriptor was
// handed to run_process as `hold`, until that program's tree is gone.
class FileLock {
 public:
  enum class Mode { shared, exclusive };

  // Opens (and creates) the lock's file; takes nothing yet.
  static Result<FileLock> open(const std::string& path);
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&&) = delete;
  ~FileLock();

  // Takes the lock or turns it into the other mode (not atomically: look again afterwards). False
  // when another holds it.
  bool try_take(Mode mode);
  // Waits for it; `on_wait` is called once if that is needed. False when interrupted, or when it is
  // not to be had until the deadline.
  bool take(Mode mode, const std::atomic<bool>& interrupted, const std::function<void()>& on_wait,
            std::optional<std::chrono::steady_clock::time_point> deadline = std::nullopt);
  void release();
  int descriptor() const { return fd_; }

 private:
  explicit FileLock(int fd) : fd_(fd) {}
  int fd_ = -1;
};

}  // namespace assay::build
