// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "prover/base/result.hpp"

namespace prover::daemon {

// Removes a socket that a killed daemon left. Errors: somebody listens on it, or it is no socket.
Result<void> clear_socket(const std::string& path);
// A listening, non-blocking socket with mode 0600; its folder is made where there is none.
Result<int> listen_on_socket(const std::string& path);

}  // namespace prover::daemon
