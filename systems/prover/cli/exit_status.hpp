// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace prover::cli {

constexpr int kFine = 0;
constexpr int kInvalid = 1;      // verify: the proof is not valid
constexpr int kUsage = 2;        // the command line, the input, or a budget that cannot work
constexpr int kFailed = 3;       // not all was proved or written, for want of memory or disk too
constexpr int kSignalled = 128;  // + the signal that asked for the end

}  // namespace prover::cli
