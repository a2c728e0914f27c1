// SPDX-License-Identifier: Apache-2.0
#include "prover/files/mapped_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "prover/base/text.hpp"

namespace prover::files {
namespace {

tl::unexpected<Error> no(std::string what, const std::string& path, std::string hint = {}) {
  return fail(ErrorKind::usage, std::move(what), printable(path), std::move(hint));
}

const char* hint_of(int error) {
  if (error == ENOENT) return "check the path";
  if (error == EACCES) return "check its permissions";
  return "";
}

const char* kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "this is a directory";
  if (S_ISFIFO(mode)) return "this is a pipe, which cannot be mapped";
  if (S_ISCHR(mode) || S_ISBLK(mode)) return "this is a device, which cannot be mapped";
  return "this is no regular file";
}

struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

}  // namespace

Result<MappedFile> MappedFile::open(const std::string& path, std::uint64_t most_bytes) {
  // O_NONBLOCK: a pipe without a writer would hold up open().
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.fd < 0) {
    const int error = errno;
    return no(fmt::format("the file cannot be opened: {}", std::strerror(error)), path,
              hint_of(error));
  }
  struct stat status {};
  if (::fstat(file.fd, &status) != 0)
    return no(fmt::format("the file cannot be looked at: {}", std::strerror(errno)), path);
  if (!S_ISREG(status.st_mode)) return no(kind_of(status.st_mode), path, "give a regular file");
  if (status.st_size == 0) return no("the file is empty", path, "make or copy it again");
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size > most_bytes)
    return no(fmt::format("the file has {}, more than the {} such a file may have",
                          show_bytes(size), show_bytes(most_bytes)),
              path);
  void* const data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.fd, 0);
  if (data == MAP_FAILED && errno == ENOMEM)
    return fail(ErrorKind::out_of_memory, "there is no memory to map the file", printable(path),
                "a limit on address space (ulimit -v) must leave room for the whole file");
  if (data == MAP_FAILED)
    return no(fmt::format("the file cannot be mapped: {}", std::strerror(errno)), path);
  return MappedFile(path, static_cast<const std::byte*>(data), size);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

void MappedFile::advise(Bytes part, Use use) const {
  if (part.empty() || data_ == nullptr) return;
  PROVER_CHECK(part.data() >= data_ && part.data() + part.size() <= data_ + size_,
               "advice on a part of this file");
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  auto first = static_cast<std::size_t>(part.data() - data_);
  std::size_t last = first + part.size();
  // Pages that the part shares with its neighbours stay when it is done, and come when it starts.
  if (use == Use::done) {
    first = (first + page - 1) / page * page;
    if (last != size_) last = last / page * page;
    if (first >= last) return;
  } else {
    first = first / page * page;
  }
  int advice = MADV_SEQUENTIAL;
  if (use == Use::random) advice = MADV_RANDOM;
  if (use == Use::soon) advice = MADV_WILLNEED;
  if (use == Use::done) advice = MADV_DONTNEED;
  // A hint that the system does not take changes nothing.
  (void)::madvise(const_cast<std::byte*>(data_) + first, last - first, advice);
}

}  // namespace prover::files
