// SPDX-License-Identifier: Apache-2.0
#include "prover/daemon/unix_socket.hpp"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "prover/base/text.hpp"

namespace prover::daemon {
namespace {

Result<sockaddr_un> address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    return fail(ErrorKind::usage, "the path of a socket has at most 107 bytes", printable(path));
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

}  // namespace

Result<void> clear_socket(const std::string& path) {
  const auto address = address_of(path);
  if (!address) return fail(address.error());
  std::error_code ignored;  // binding says what is wrong
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0) return {};
  if (!S_ISSOCK(status.st_mode))
    return fail(ErrorKind::usage, "this is there already, and no socket", printable(path),
                "give the socket a path of its own");
  const int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool answers = file >= 0 && connect(file, reinterpret_cast<const sockaddr*>(&*address),
                                            sizeof *address) == 0;
  if (file >= 0) close(file);
  if (answers)
    return fail(ErrorKind::usage, "somebody listens on this socket already", printable(path),
                "stop the other daemon, or give this one another socket");
  unlink(path.c_str());
  return {};
}

Result<int> listen_on_socket(const std::string& path) {
  if (auto cleared = clear_socket(path); !cleared) return fail(cleared.error());
  const auto address = address_of(path);
  const int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  // The mode of a socket that is bound later: never open for a moment.
  if (file >= 0 && fchmod(file, 0600) == 0 &&
      bind(file, reinterpret_cast<const sockaddr*>(&*address), sizeof *address) == 0 &&
      ::chmod(path.c_str(), 0600) == 0 && ::listen(file, 64) == 0)
    return file;
  const int error = errno;
  if (file >= 0) close(file);
  return fail(ErrorKind::usage, fmt::format("cannot listen: {}", std::strerror(error)),
              printable(path), "its folder must be there and belong to the daemon's user");
}

}  // namespace prover::daemon
