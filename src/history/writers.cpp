// SPDX-License-Identifier: Apache-2.0
#include "history/writers.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace assay::history {
namespace {

// Each id has a byte of its own: 8 letters and digits are 41 bits. What else an id may be in a
// damaged store shares them.
off_t byte_of(const std::string& id) {
  std::uint64_t number = 0;
  for (const char c : id) {
    const std::uint64_t digit = c >= '0' && c <= '9'   ? static_cast<std::uint64_t>(c - '0')
                                : c >= 'a' && c <= 'z' ? static_cast<std::uint64_t>(c - 'a') + 10
                                                       : static_cast<unsigned char>(c);
    number = number * 36 + digit;
  }
  return static_cast<off_t>(number & 0x3fff'ffff'ffff'ffff);
}

struct flock lock_of(const std::string& id, short type) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = byte_of(id);
  lock.l_len = 1;
  return lock;
}

}  // namespace

Writers::~Writers() {
  if (fd_ >= 0) close(fd_);
}

// Claims need a descriptor for writing; looking does not. An open descriptor is never replaced
// while it holds claims: it would lose them.
bool Writers::open_file(bool for_writing) {
  if (fd_ >= 0 && (writable_ || !for_writing)) return true;
  const int mode = for_writing ? O_RDWR | O_CREAT : O_RDONLY;
  const int fd = open(path_.c_str(), mode | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
  if (fd < 0) return false;
  // Whoever may write the store may write this.
  struct stat store {};
  if (for_writing && stat(store_.c_str(), &store) == 0)
    static_cast<void>(fchmod(fd, store.st_mode & 0666));
  if (fd_ >= 0) close(fd_);
  fd_ = fd;
  writable_ = for_writing;
  return true;
}

Result<bool> Writers::claim(const std::string& id) {
  if (has(id)) return true;
  if (!open_file(true))
    return fail(system_error("cannot be opened", errno, path_,
                             "it says which records are being written: make it writable, or remove "
                             "it when no assay runs"));
  struct flock lock = lock_of(id, F_WRLCK);
  if (fcntl(fd_, F_OFD_SETLK, &lock) != 0) {
    if (errno == EAGAIN || errno == EACCES) return false;
    return fail(system_error("cannot be locked", errno, path_));
  }
  claimed_.insert(id);
  return true;
}

void Writers::release(const std::string& id) {
  if (claimed_.erase(id) == 0) return;
  struct flock lock = lock_of(id, F_UNLCK);
  static_cast<void>(fcntl(fd_, F_OFD_SETLK, &lock));
}

bool Writers::is_elsewhere(const std::string& id) {
  if (!open_file(false)) return false;
  struct flock lock = lock_of(id, F_WRLCK);
  if (fcntl(fd_, F_OFD_GETLK, &lock) != 0) return false;
  return lock.l_type != F_UNLCK;
}

}  // namespace assay::history
