// SPDX-License-Identifier: Apache-2.0
#include "cli/interrupt.hpp"

#include <unistd.h>

#include <csignal>

#include "cli/terminal.hpp"

namespace assay::cli {
namespace {

std::atomic<bool> interrupted{false};
std::atomic<bool> at_once{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may touch it");

void on_signal(int) {
  if (!interrupted.exchange(true) && !at_once) return;
  // The live line, if any, gives way to the shell's prompt.
  if (at_once && ::isatty(STDERR_FILENO) == 1) {
    const ssize_t ignored = ::write(STDERR_FILENO, "\r\x1b[K", 4);
    static_cast<void>(ignored);
  }
  ::_exit(kInterrupted);
}

}  // namespace

const std::atomic<bool>& watch_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  action.sa_flags = 0;  // no SA_RESTART: a blocked wait shall notice
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    sigaction(number, nullptr, &before);
    if (number == SIGHUP && before.sa_handler == SIG_IGN) continue;
    sigaction(number, &action, nullptr);
  }
  // Not SIG_IGN: that would be inherited by every command that is measured. SIGXFSZ: a store that
  // may not grow is an error to report, not a death.
  action.sa_handler = [](int) {};
  for (const int number : {SIGPIPE, SIGXFSZ}) sigaction(number, &action, nullptr);
  return interrupted;
}

void exit_on_interrupt() {
  watch_interrupts();
  at_once = true;
  if (interrupted) ::_exit(kInterrupted);
}

}  // namespace assay::cli
