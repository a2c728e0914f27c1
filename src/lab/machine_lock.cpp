// SPDX-License-Identifier: Apache-2.0
// The file lies in a folder where everybody may write, so it is opened with care: never through a
// link, and nothing is written into a file that is not a lock of ours.
#include "lab/machine_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <optional>
#include <utility>
#include <vector>

#include "base/text.hpp"

namespace assay::lab {
namespace {

constexpr std::string_view kMark = "assay lock, held by pid ";
constexpr std::size_t kMaxText = 512;
constexpr int kPollMs = 100;

std::vector<std::string> lock_paths() {
  if (const char* named = std::getenv("ASSAY_MACHINE_LOCK"); named != nullptr && *named != '\0')
    return {named};
  std::vector<std::string> paths = {"/run/lock/assay.lock", "/tmp/assay.lock"};
  if (const char* folder = std::getenv("TMPDIR"); folder != nullptr && *folder == '/')
    paths.push_back(std::string(folder) + "/assay.lock");
  return paths;
}

// Opens for reading and writing, else for reading (enough to lock); creates a missing file for all
// users. O_CREAT only for a new file: kernels refuse it for the files of others in such folders
// (fs.protected_regular).
int open_file(const std::string& path) {
  constexpr int kFlags = O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  for (int attempt = 0; attempt < 10; ++attempt) {
    for (const int mode : {O_RDWR, O_RDONLY}) {
      const int fd = open(path.c_str(), mode | kFlags);
      if (fd >= 0) return fd;
      if (errno != EACCES && errno != EROFS) break;
    }
    if (errno != ENOENT) return -1;
    const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | kFlags, 0666);
    if (fd >= 0) {
      static_cast<void>(fchmod(fd, 0666));  // whatever the umask
      return fd;
    }
    if (errno != EEXIST) return -1;
  }
  return -1;
}

std::string read_text(int fd) {
  std::string text(kMaxText, '\0');
  const ssize_t length = pread(fd, text.data(), text.size(), 0);
  text.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
  return text;
}

// Why the open file cannot be the lock; empty when it can.
std::string objection(int fd) {
  struct stat status {};
  if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) return "not a regular file";
  if (status.st_nlink != 1) return "the file has several names";
  if (status.st_size > 0 && !read_text(fd).starts_with(kMark))
    return "the file is not a lock of assay's";
  return {};
}

Result<int> open_lock() {
  Error first;
  for (const std::string& path : lock_paths()) {
    const int fd = open_file(path);
    const int number = errno;
    const std::string wrong = fd >= 0 ? objection(fd) : "";
    if (fd >= 0 && wrong.empty()) return fd;
    if (fd >= 0) close(fd);
    if (!first.what.empty()) continue;
    const std::string what = "cannot take the machine's lock";
    const std::string hint =
        "name another file for all who time things here: ASSAY_MACHINE_LOCK=PATH";
    first =
        fd < 0 ? system_error(what, number, path, hint) : Error{what + ": " + wrong, path, hint};
  }
  return fail(first);
}

// "pid 123, compare ab12cd34"; empty when the text is not of a living holder.
std::string holder_of(int fd) {
  const std::string text = read_text(fd);
  if (!text.starts_with(kMark)) return {};
  const std::vector<std::string_view> lines =
      split_lines(std::string_view(text).substr(kMark.size()));
  const auto pid = lines.empty() ? std::nullopt : parse_number(lines[0]);
  if (!pid || *pid < 1 || *pid > 1e9) return {};
  if (kill(static_cast<pid_t>(*pid), 0) != 0 && errno == ESRCH) return {};
  std::string holder = fmt::format("pid {}", static_cast<long>(*pid));
  if (lines.size() > 1 && !lines[1].empty()) holder += ", " + printable(lines[1]);
  return holder;
}

// Best effort: the lock holds without it.
void write_holder(int fd, const std::string& purpose) {
  const std::string line = printable(purpose.substr(0, purpose.find('\n')));
  const std::string text =
      fmt::format("{}{}\n{}", kMark, getpid(), line).substr(0, kMaxText - 1) + "\n";
  if (ftruncate(fd, 0) != 0) return;
  [[maybe_unused]] const auto written = pwrite(fd, text.data(), text.size(), 0);
}

}  // namespace

Result<MachineLock> MachineLock::acquire(const std::string& purpose, bool wait,
                                         const std::function<void(const std::string&)>& on_wait,
                                         const std::atomic<bool>& interrupted) {
  const Result<int> fd = open_lock();
  if (!fd) return fail(fd.error());
  MachineLock lock(*fd);
  std::optional<std::string> told;
  while (flock(*fd, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR)
      return fail(system_error("cannot take the machine's lock", errno));
    const std::string holder = holder_of(*fd);
    if (!wait)
      return fail(fmt::format("another experiment{} is timing on this machine",
                              holder.empty() ? "" : " (" + holder + ")"),
                  "", "leave out --no-wait to wait until it is done");
    if (on_wait && told != holder) on_wait(holder);
    told = holder;
    if (!interrupted.load()) poll(nullptr, 0, kPollMs);  // a signal ends it early
    if (interrupted.load())
      return fail("interrupted while waiting for another experiment on this machine");
  }
  lock.held_ = true;
  write_holder(*fd, purpose);
  return lock;
}

MachineLock::MachineLock(MachineLock&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), held_(std::exchange(other.held_, false)) {}

MachineLock& MachineLock::operator=(MachineLock&& other) noexcept {
  if (this != &other) {
    release();
    fd_ = std::exchange(other.fd_, -1);
    held_ = std::exchange(other.held_, false);
  }
  return *this;
}

MachineLock::~MachineLock() { release(); }

void MachineLock::release() {
  if (fd_ < 0) return;
  if (held_) static_cast<void>(ftruncate(fd_, 0));  // the text is the holder's
  close(fd_);
  fd_ = -1;
}

}  // namespace assay::lab
