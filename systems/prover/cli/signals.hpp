// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>
#include <functional>
#include <initializer_list>
#include <thread>

namespace prover::cli {

// While this lives, the signals (SIGINT and SIGTERM) reach `on_signal` on a thread of its own
// instead of ending the program. Made before any other thread, which inherit the blocked signals. A
// signal that was ignored at the start of the program (nohup, a shell's &) stays ignored. SIGRTMIN
// is used up.
class SignalWatch {
 public:
  explicit SignalWatch(std::function<void(int)> on_signal,
                       std::initializer_list<int> signals = {SIGINT, SIGTERM});
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

 private:
  std::thread thread_;
};

}  // namespace prover::cli
