// SPDX-License-Identifier: Apache-2.0
// Ctrl-C and SIGTERM. Commands that write large files are asked to stop, so that nothing
// half-written stays behind, and a second signal ends the program at once; others end at the first.
#pragma once

#include <atomic>

#include "prover/cli/signals.hpp"

namespace prover::cli {

class Interrupt {
 public:
  enum class Ends { when_asked, at_once };
  explicit Interrupt(Ends ends = Ends::when_asked);
  bool requested() const { return signal_.load() != 0; }
  // 128 + the signal; only when it was requested.
  int status() const;

 private:
  std::atomic<int> signal_{0};
  SignalWatch watch_;
};

}  // namespace prover::cli
