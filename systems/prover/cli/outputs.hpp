// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "prover/base/result.hpp"

namespace prover::cli {

// Refuses an output that is one of the inputs, another output or cannot be written, before any work
// is done for it.
// Devices and pipes may be named twice.
Result<void> check_outputs(std::span<const std::string> inputs,
                           std::span<const std::string> outputs);

}  // namespace prover::cli
