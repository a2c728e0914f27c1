// SPDX-License-Identifier: Apache-2.0
#include "beacon/base/files.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <memory>

namespace beacon {
namespace {

struct Closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Closer>;

std::string system_reason() { return std::strerror(errno); }

}  // namespace

Result<std::vector<std::uint8_t>> read_file(const std::string& path, std::uint64_t limit) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error) return fail("cannot be read: " + error.message(), path);
  if (size > limit)
    return fail(
        "has " + std::to_string(size) + " bytes; at most " + std::to_string(limit) + " are read",
        path);
  const File file(std::fopen(path.c_str(), "rb"));
  if (!file) return fail("cannot be opened: " + system_reason(), path);
  std::vector<std::uint8_t> bytes(size);
  if (std::fread(bytes.data(), 1, bytes.size(), file.get()) != bytes.size())
    return fail("ended before its " + std::to_string(size) + " bytes", path);
  return bytes;
}

Status write_file(const std::string& path, View bytes) {
  const std::string beside = path + ".part" + std::to_string(::getpid());
  File file(std::fopen(beside.c_str(), "wb"));
  if (!file) return fail("cannot be written: " + system_reason(), path);
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file.get()) == bytes.size();
  const bool closed = std::fclose(file.release()) == 0;
  if (!written || !closed || std::rename(beside.c_str(), path.c_str()) != 0) {
    const std::string reason = system_reason();
    std::remove(beside.c_str());
    return fail("cannot be written: " + reason, path);
  }
  return {};
}

Status finish_output() {
  const bool whole = std::cout.flush().good();
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0 || !whole)
    return fail("not all of it could be written", "standard output");
  return {};
}

}  // namespace beacon
