// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace prover::cli {

constexpr int kFine = 0;
constexpr int kUsage = 2;        // the command line, or a budget that cannot work
constexpr int kFailed = 3;       // not all was proved, or not all was written
constexpr int kSignalled = 128;  // + the signal that asked for the end

}  // namespace prover::cli
