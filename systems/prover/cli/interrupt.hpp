// SPDX-License-Identifier: Apache-2.0
// Ctrl-C and SIGTERM for commands that write large files: the work is asked to stop, so that
// nothing half-written stays behind; a second one ends the program at once.
#pragma once

#include <atomic>

#include "prover/cli/signals.hpp"

namespace prover::cli {

class Interrupt {
 public:
  Interrupt();
  bool requested() const { return signal_.load() != 0; }
  // 128 + the signal; only when it was requested.
  int status() const;

 private:
  std::atomic<int> signal_{0};
  SignalWatch watch_;
};

}  // namespace prover::cli
