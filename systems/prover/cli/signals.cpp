// SPDX-License-Identifier: Apache-2.0
#include "prover/cli/signals.hpp"

#include <csignal>
#include <utility>

namespace prover::cli {
namespace {

constexpr timespec kLook{0, 100000000};  // how often the thread looks whether it shall end

bool is_ignored(int number) {
  struct sigaction action {};
  return sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

SignalWatch::SignalWatch(std::function<void(int)> on_signal) {
  sigset_t watched;
  sigemptyset(&watched);
  for (const int number : {SIGINT, SIGTERM})
    if (!is_ignored(number)) sigaddset(&watched, number);
  pthread_sigmask(SIG_BLOCK, &watched, nullptr);
  thread_ = std::jthread([watched, call = std::move(on_signal)](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      const int number = sigtimedwait(&watched, nullptr, &kLook);
      if (number > 0) call(number);
    }
  });
}

}  // namespace prover::cli
