// SPDX-License-Identifier: Apache-2.0
#include "build/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <thread>
#include <utility>

namespace assay::build {
namespace {

namespace fs = std::filesystem;

constexpr const char* kElsewhere = "choose another place with --store";

Result<void> write_and_sync(int fd, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail(system_error("cannot write", errno, path));
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  if (::fsync(fd) != 0) return fail(system_error("cannot write", errno, path));
  return {};
}

}  // namespace

Result<void> make_folders(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error)
    return fail(system_error("cannot create this folder", error.value(), path, kElsewhere));
  return {};
}

Result<void> make_hidden_folder(const std::string& path) {
  if (auto made = make_folders(path); !made) return made;
  std::error_code error;
  if (fs::exists(path + "/.gitignore", error)) return {};
  return write_file(path + "/.gitignore", "*\n");
}

Result<void> write_file(const std::string& path, std::string_view bytes) {
  const std::string draft = fmt::format("{}.{}.tmp", path, ::getpid());
  const int fd = ::open(draft.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0666);
  if (fd < 0) return fail(system_error("cannot create this file", errno, draft, kElsewhere));
  auto written = write_and_sync(fd, bytes, path);
  ::close(fd);
  if (written && ::rename(draft.c_str(), path.c_str()) != 0)
    written = fail(system_error("cannot write", errno, path));
  if (!written) ::unlink(draft.c_str());
  return written;
}

Result<void> remove_tree(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path, error);
  if (status.type() == fs::file_type::not_found) return {};
  if (status.type() == fs::file_type::directory) {
    if ((status.permissions() & fs::perms::owner_all) != fs::perms::owner_all)
      fs::permissions(path, fs::perms::owner_all, fs::perm_options::add, error);
    for (fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error))
      if (auto removed = remove_tree(it->path().string()); !removed) return removed;
    if (error) return fail(system_error("cannot read this folder", error.value(), path));
  }
  if (!fs::remove(path, error) && error)
    return fail(system_error("cannot remove", error.value(), path));
  return {};
}

bool says_disk_full(std::string_view text) {
  return text.find("No space left on device") != std::string_view::npos ||
         text.find("Disk quota exceeded") != std::string_view::npos;
}

std::optional<std::uint64_t> bytes_left(const std::string& path) {
  struct statvfs disk {};
  if (::statvfs(path.c_str(), &disk) != 0) return std::nullopt;
  if (disk.f_files > 0 && disk.f_favail == 0) return 0;
  return static_cast<std::uint64_t>(disk.f_bavail) * disk.f_frsize;
}

std::uint64_t disk_bytes(const std::string& path) {
  std::uint64_t bytes = 0;
  std::set<std::pair<dev_t, ino_t>> seen;
  const auto add = [&](const std::string& file) {
    struct stat status {};
    if (::lstat(file.c_str(), &status) != 0) return;
    if (status.st_nlink > 1 && !S_ISDIR(status.st_mode) &&
        !seen.emplace(status.st_dev, status.st_ino).second)
      return;
    bytes += static_cast<std::uint64_t>(status.st_blocks) * 512;
  };
  add(path);
  std::error_code error;
  const auto options = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator it(path, options, error), end; !error && it != end;
       it.increment(error))
    add(it->path().string());
  return bytes;
}

Result<TemporaryFolder> TemporaryFolder::make() {
  const char* parent = ::getenv("TMPDIR");
  std::string path =
      std::string(parent != nullptr && *parent != '\0' ? parent : "/tmp") + "/assay-XXXXXX";
  if (::mkdtemp(path.data()) == nullptr)
    return fail(system_error("cannot create a temporary folder", errno, path));
  return TemporaryFolder(path);
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})) {}

TemporaryFolder::~TemporaryFolder() {
  if (!path_.empty()) (void)remove_tree(path_);
}

Result<FileLock> FileLock::open(const std::string& path) {
  int fd = ::open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666);
  const int number = errno;  // the reason to tell, also when reading fails too
  if (fd < 0 && (number == EROFS || number == EACCES))
    fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return fail(system_error("cannot open this lock", number, path, kElsewhere));
  return FileLock(fd);
}

FileLock::FileLock(FileLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

FileLock::~FileLock() {
  if (fd_ >= 0) ::close(fd_);  // not LOCK_UN: a copy of the descriptor may have to keep it
}

bool FileLock::try_take(Mode mode) {
  const int operation = (mode == Mode::shared ? LOCK_SH : LOCK_EX) | LOCK_NB;
  int rc = 0;
  do {
    rc = ::flock(fd_, operation);
  } while (rc != 0 && errno == EINTR);
  return rc == 0;
}

bool FileLock::take(Mode mode, const std::atomic<bool>& interrupted,
                    const std::function<void()>& on_wait,
                    std::optional<std::chrono::steady_clock::time_point> deadline) {
  for (bool first = true; !try_take(mode); first = false) {
    if (interrupted.load()) return false;
    if (deadline && std::chrono::steady_clock::now() >= *deadline) return false;
    if (first && on_wait) on_wait();
    // Looked at ten times a second, because a blocking flock cannot watch the flag.
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return true;
}

void FileLock::release() { ::flock(fd_, LOCK_UN); }

}  // namespace assay::build
