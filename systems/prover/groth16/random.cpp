// SPDX-License-Identifier: Apache-2.0
#include "prover/groth16/random.hpp"

#include <sys/random.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace prover::groth16 {

Result<void> random_bytes(std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t got = getrandom(bytes.data(), bytes.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0)
      return fail(ErrorKind::failed,
                  std::string("the system gives no random bytes: ") + std::strerror(errno),
                  "getrandom");
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
  return {};
}

}  // namespace prover::groth16
