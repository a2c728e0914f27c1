// SPDX-License-Identifier: Apache-2.0
#include "prover/cli/signals.hpp"

#include <pthread.h>

#include <csignal>
#include <utility>

namespace prover::cli {
namespace {

bool is_ignored(int number) {
  struct sigaction action {};
  return sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

SignalWatch::SignalWatch(std::function<void(int)> on_signal, std::initializer_list<int> signals) {
  sigset_t watched;
  sigemptyset(&watched);
  sigaddset(&watched, SIGRTMIN);  // the destructor's
  for (const int number : signals)
    if (!is_ignored(number)) sigaddset(&watched, number);
  pthread_sigmask(SIG_BLOCK, &watched, nullptr);
  thread_ = std::thread([watched, call = std::move(on_signal)] {
    for (int number = 0; number != SIGRTMIN;) {
      number = sigwaitinfo(&watched, nullptr);
      if (number > 0 && number != SIGRTMIN) call(number);
    }
  });
}

SignalWatch::~SignalWatch() {
  pthread_kill(thread_.native_handle(), SIGRTMIN);
  thread_.join();
}

}  // namespace prover::cli
