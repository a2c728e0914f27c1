// SPDX-License-Identifier: Apache-2.0
// Requests as the daemon's HTTP server reads them, in pieces: what is told of a prefix stands.
#include <cstdint>
#include <string_view>

#include "prover/base/result.hpp"
#include "prover/daemon/http_request.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace prover::daemon;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (std::size_t read = 0; read <= size; read += 1 + read / 8) {
    const auto request = read_request(text.substr(0, read));
    if (!request) {
      PROVER_CHECK(read < kLongestRequest, "nobody makes the server read on");
      continue;
    }
    PROVER_CHECK(request->refusal.has_value() || request->path.starts_with('/'), "a path or no");
    break;
  }
  return 0;
}
