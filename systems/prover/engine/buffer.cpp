// SPDX-License-Identifier: Apache-2.0
#include "prover/engine/buffer.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "prover/base/text.hpp"

namespace prover {
namespace {

constexpr std::size_t kPage = 4096;  // a divisor of every page size in use

// " (RLIMIT_DATA is 400 MiB)", when this process has such a limit.
std::string limits() {
  std::string text;
  rlimit limit{};
  if (getrlimit(RLIMIT_DATA, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    text += fmt::format(" (RLIMIT_DATA is {})", show_bytes(limit.rlim_cur));
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    text += fmt::format(" (RLIMIT_AS is {})", show_bytes(limit.rlim_cur));
  return text;
}

}  // namespace

Buffer::Buffer(Buffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  if (this == &other) return *this;
  free();
  data_ = std::exchange(other.data_, nullptr);
  size_ = std::exchange(other.size_, 0);
  return *this;
}

Result<Buffer> Buffer::allocate(std::uint64_t bytes, const std::string& what) {
  Buffer buffer;
  if (bytes == 0) return buffer;
  void* data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) {
    const int number = errno;
    return fail(ErrorKind::out_of_memory,
                fmt::format("cannot allocate {} for {}: {}{}", show_bytes(bytes), what,
                            std::generic_category().message(number), limits()));
  }
  buffer.data_ = static_cast<std::byte*>(data);
  buffer.size_ = bytes;
  return buffer;
}

void Buffer::free() {
  if (data_ != nullptr) PROVER_CHECK(munmap(data_, size_) == 0, "what was mapped can be unmapped");
  data_ = nullptr;
  size_ = 0;
}

void Buffer::fill(std::uint64_t mark) {
  for (std::size_t at = 0; at + sizeof mark <= size_; at += kPage) {
    const std::uint64_t word = mark ^ (at / kPage);
    std::memcpy(data_ + at, &word, sizeof word);
  }
}

bool Buffer::holds(std::uint64_t mark) const {
  for (std::size_t at = 0; at + sizeof mark <= size_; at += kPage) {
    std::uint64_t word = 0;
    std::memcpy(&word, data_ + at, sizeof word);
    if (word != (mark ^ (at / kPage))) return false;
  }
  return true;
}

}  // namespace prover
