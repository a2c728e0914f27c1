// SPDX-License-Identifier: Apache-2.0
// Configurations of the daemon: whatever is read is read again from the same text, and every error
// says where.
#include <cstdint>
#include <string_view>

#include "prover/base/result.hpp"
#include "prover/daemon/config.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto config = prover::daemon::parse_config(text, "/f/daemon.toml");
  if (!config) {
    PROVER_CHECK(config.error().where.starts_with("/f/daemon.toml"), "an error has its place");
    return 0;
  }
  PROVER_CHECK(config->limits.queue >= 1 && !config->listen.socket.empty(), "values are in range");
  for (const auto& circuit : config->circuits)
    PROVER_CHECK(!circuit.name.empty() && circuit.key_path.starts_with('/'), "circuits are whole");
  return 0;
}
