// SPDX-License-Identifier: Apache-2.0
#include "prover/files/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "prover/base/text.hpp"

namespace prover::files {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
constexpr std::uint64_t kCountOffset = 8;

const char* hint_of(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
      return "make room on that disk or write to another";
    case EFBIG:
      return "the limit on the size of files (ulimit -f) is in the way";
    case EACCES:
    case EPERM:
    case EROFS:
      return "choose a folder that may be written to";
    case ENOENT:
    case ENOTDIR:
      return "make the folder first";
    default:
      return "";
  }
}

tl::unexpected<Error> cannot(const std::string& path, int error,
                             ErrorKind kind = ErrorKind::failed) {
  return fail(kind, fmt::format("the file cannot be written: {}", std::strerror(error)),
              printable(path), hint_of(error));
}

// At the start: a path where nothing can be is the asker's error, a full disk is not.
tl::unexpected<Error> cannot_create(const std::string& path, int error) {
  for (const int of_path : {ENOENT, ENOTDIR, EACCES, EPERM, EROFS, ELOOP, ENAMETOOLONG})
    if (error == of_path) return cannot(path, error, ErrorKind::usage);
  return cannot(path, error);
}

// 0, or the number of the error.
int write_all(int fd, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(fd, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return errno;
    if (done == 0) return EIO;
    bytes = bytes.subspan(static_cast<std::size_t>(done));
  }
  return 0;
}

// The path with symbolic links followed, or the path itself where nothing is there yet.
std::string resolved(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr),
                                                         &std::free);
  return real ? std::string(real.get()) : path;
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

// By this name a file that is open can be given another.
std::string name_of_open(int fd) { return fmt::format("/proc/self/fd/{}", fd); }

// A file without a name, which is gone with the process however that ends. -1 where the file system
// has none, or no /proc is there through which it would get its name.
int open_unnamed(const std::string& folder, mode_t mode) {
  const int fd = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
  if (fd < 0 || ::access(name_of_open(fd).c_str(), F_OK) == 0) return fd;
  ::close(fd);
  return -1;
}

// So that the new name outlives a crash; a file system that cannot do it is no reason to fail.
void sync_folder(const std::string& path) {
  const int fd = ::open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  (void)::fsync(fd);
  ::close(fd);
}

// The number of a descriptor of this process that the path stands for.
std::optional<int> own_descriptor(const std::string& path) {
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    const auto number = parse_count(std::string_view(path).substr(folder.size()), 0, 1u << 20);
    if (number) return static_cast<int>(*number);
  }
  return std::nullopt;
}

bool is_special(const std::string& path) {
  if (own_descriptor(path)) return true;
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

}  // namespace

// Tries names beside the target until `take` has one; 0 or the number of the error.
template <class Take>
int OutputFile::take_temporary(const Take& take) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    temporary_ = fmt::format("{}.tmp-{}-{}", target_, ::getpid(), attempt);
    if (take(temporary_.c_str())) return 0;
    if (errno != EEXIST) break;
  }
  const int error = errno;
  temporary_.clear();
  return error;
}

Result<OutputFile> OutputFile::create(const std::string& path) {
  OutputFile out;
  out.path_ = path;
  out.target_ = resolved(path);
  mode_t mode = 0;
  struct stat status {};
  if (::stat(out.target_.c_str(), &status) == 0) {
    if (!S_ISREG(status.st_mode))
      return fail(ErrorKind::usage,
                  S_ISDIR(status.st_mode) ? "this is a directory" : "this is no regular file",
                  printable(path), "give the path of a file to write");
    if (::access(out.target_.c_str(), W_OK) != 0) return cannot_create(path, errno);
    mode = status.st_mode & 0777;
  } else if (::lstat(out.target_.c_str(), &status) == 0) {
    return fail(ErrorKind::usage, "this is a symbolic link that leads nowhere", printable(path),
                "remove it, or make what it points to");
  }
  const mode_t first_mode = mode != 0 ? mode : 0666;
  out.fd_ = open_unnamed(folder_of(out.target_), first_mode);
  // Whatever was in the way of that: this works, or says what is the matter with the folder.
  if (out.fd_ < 0) {
    const int error = out.take_temporary([&](const char* name) {
      out.fd_ = ::open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, first_mode);
      return out.fd_ >= 0;
    });
    if (error != 0) return cannot_create(path, error);
  }
  // What is replaced keeps who may read it, from the first byte on.
  if (mode != 0) (void)::fchmod(out.fd_, mode);
  out.buffer_.reserve(kBufferBytes);
  return out;
}

// Where nothing is yet, the file takes its name in one step; linkat() replaces nothing, so that
// otherwise it is renamed. Returns 0 or the number of the error.
int OutputFile::take_name() {
  if (temporary_.empty()) {
    const std::string open = name_of_open(fd_);
    const auto link_to = [&](const char* name) {
      return ::linkat(AT_FDCWD, open.c_str(), AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0;
    };
    if (link_to(target_.c_str())) return 0;
    if (errno != EEXIST) return errno;
    if (const int error = take_temporary(link_to); error != 0) return error;
  }
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) return errno;
  temporary_.clear();
  return 0;
}

OutputFile::OutputFile(OutputFile&& other) noexcept { *this = std::move(other); }

OutputFile& OutputFile::operator=(OutputFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(target_, other.target_);
  std::swap(temporary_, other.temporary_);
  std::swap(fd_, other.fd_);
  std::swap(size_, other.size_);
  std::swap(error_, other.error_);
  std::swap(buffer_, other.buffer_);
  return *this;
}

OutputFile::~OutputFile() { discard(); }

void OutputFile::discard() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  temporary_.clear();
  buffer_.clear();
}

Result<void> OutputFile::stop(int error) {
  if (error_ == 0) error_ = error;
  discard();
  return cannot(path_, error_);
}

Result<void> OutputFile::flush() {
  if (error_ != 0) return cannot(path_, error_);
  PROVER_CHECK(fd_ >= 0, "writing to a file that is finished");
  const int error = write_all(fd_, buffer_);
  buffer_.clear();
  if (error != 0) return stop(error);
  return {};
}

Result<void> OutputFile::write(std::span<const std::byte> bytes) {
  if (error_ != 0) return cannot(path_, error_);
  PROVER_CHECK(fd_ >= 0, "writing to a file that is finished");
  if (buffer_.size() + bytes.size() > kBufferBytes)
    if (Result<void> flushed = flush(); !flushed) return flushed;
  size_ += bytes.size();
  if (bytes.size() < kBufferBytes) {
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
    return {};
  }
  const int error = write_all(fd_, bytes);
  if (error != 0) return stop(error);
  return {};
}

Result<void> OutputFile::overwrite(std::uint64_t offset, std::span<const std::byte> bytes) {
  PROVER_CHECK(offset + bytes.size() <= size_, "replacing what was written");
  if (Result<void> flushed = flush(); !flushed) return flushed;
  while (!bytes.empty()) {
    const ssize_t done = ::pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return stop(done < 0 ? errno : EIO);
    offset += static_cast<std::uint64_t>(done);
    bytes = bytes.subspan(static_cast<std::size_t>(done));
  }
  return {};
}

Result<void> OutputFile::sync() {
  if (Result<void> flushed = flush(); !flushed) return flushed;
  if (::fsync(fd_) != 0 && errno != EINVAL && errno != ENOTSUP) return stop(errno);
  return {};
}

Result<void> OutputFile::finish() {
  if (Result<void> done = sync(); !done) return done;
  if (const int error = take_name(); error != 0) return stop(error);
  // All of it is on the disk: what closing says changes nothing.
  (void)::close(std::exchange(fd_, -1));
  sync_folder(target_);
  return {};
}

Result<void> check_writable(const std::string& path) {
  if (is_special(path)) return {};
  const Result<OutputFile> out = OutputFile::create(path);
  if (!out) return fail(out.error());
  return {};
}

namespace {

Result<void> write_special(const std::string& path, std::string_view content) {
  const std::optional<int> own = own_descriptor(path);
  const int fd = own ? ::dup(*own) : ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return cannot_create(path, errno);
  const int error = write_all(fd, std::as_bytes(std::span(content.data(), content.size())));
  if (::close(fd) != 0 && error == 0) return cannot(path, errno);
  if (error != 0) return cannot(path, error);
  return {};
}

}  // namespace

Result<void> write_files(std::span<const Content> files) {
  std::vector<OutputFile> outs;
  for (const Content& file : files) {
    if (is_special(file.path)) continue;
    Result<OutputFile> out = OutputFile::create(file.path);
    if (!out) return fail(out.error());
    const std::span<const char> text(file.text.data(), file.text.size());
    if (Result<void> done = out->write(std::as_bytes(text)); !done) return done;
    if (Result<void> done = out->sync(); !done) return done;
    outs.push_back(std::move(*out));
  }
  for (const Content& file : files)
    if (is_special(file.path))
      if (Result<void> done = write_special(file.path, file.text); !done) return done;
  for (OutputFile& out : outs)
    if (Result<void> done = out.finish(); !done) return done;
  return {};
}

Result<void> write_file(const std::string& path, std::string_view content) {
  const Content file{path, std::string(content)};
  return write_files(std::span(&file, 1));
}

Result<SectionWriter> SectionWriter::create(const std::string& path, std::string_view magic,
                                            std::uint32_t version) {
  Result<OutputFile> out = OutputFile::create(path);
  if (!out) return fail(out.error());
  SectionWriter writer(std::move(*out));
  if (Result<void> done = writer.write_raw(std::as_bytes(std::span(magic.data(), magic.size())));
      !done)
    return fail(done.error());
  for (const std::uint32_t value : {version, std::uint32_t{0}})
    if (Result<void> done = writer.write_raw(std::as_bytes(std::span(&value, 1))); !done)
      return fail(done.error());
  return writer;
}

Result<void> SectionWriter::write_raw(std::span<const std::byte> bytes) {
  return out_.write(bytes);
}

Result<void> SectionWriter::begin(std::uint32_t id) {
  PROVER_CHECK(begin_ == 0, "one section at a time");
  const std::uint64_t size = 0;
  if (Result<void> done = write_raw(std::as_bytes(std::span(&id, 1))); !done) return done;
  if (Result<void> done = write_raw(std::as_bytes(std::span(&size, 1))); !done) return done;
  begin_ = out_.size();
  return {};
}

Result<void> SectionWriter::write(std::span<const std::byte> bytes) {
  PROVER_CHECK(begin_ != 0, "an open section");
  return write_raw(bytes);
}

Result<void> SectionWriter::write_u32(std::uint32_t value) {
  return write(std::as_bytes(std::span(&value, 1)));
}

Result<void> SectionWriter::write_u64(std::uint64_t value) {
  return write(std::as_bytes(std::span(&value, 1)));
}

Result<void> SectionWriter::overwrite_u32(std::uint64_t offset_in_section, std::uint32_t value) {
  PROVER_CHECK(begin_ != 0, "an open section");
  return out_.overwrite(begin_ + offset_in_section, std::as_bytes(std::span(&value, 1)));
}

Result<void> SectionWriter::end() {
  PROVER_CHECK(begin_ != 0, "an open section");
  const std::uint64_t size = section_size();
  const std::uint64_t at = std::exchange(begin_, 0) - sizeof size;
  ++sections_;
  return out_.overwrite(at, std::as_bytes(std::span(&size, 1)));
}

Result<void> SectionWriter::finish() {
  PROVER_CHECK(begin_ == 0, "a section that was not ended");
  if (Result<void> done = out_.overwrite(kCountOffset, std::as_bytes(std::span(&sections_, 1)));
      !done)
    return done;
  return out_.finish();
}

}  // namespace prover::files
