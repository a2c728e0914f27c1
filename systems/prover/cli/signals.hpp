// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <stop_token>
#include <thread>

namespace prover::cli {

// While this lives, SIGINT and SIGTERM reach `on_signal` on a thread of its own instead of ending
// the program. Made before any other thread, which inherit the blocked signals. A signal that was
// ignored at the start of the program (nohup, a shell's &) stays ignored.
class SignalWatch {
 public:
  explicit SignalWatch(std::function<void(int)> on_signal);

 private:
  std::jthread thread_;
};

}  // namespace prover::cli
