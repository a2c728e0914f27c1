// SPDX-License-Identifier: Apache-2.0
#include "prover/cli/interrupt.hpp"

#include <unistd.h>

#include "prover/cli/exit_status.hpp"

namespace prover::cli {

Interrupt::Interrupt(Ends ends)
    : watch_([this, ends](int number) {
        if (signal_.exchange(number) != 0 || ends == Ends::at_once) ::_exit(kSignalled + number);
      }) {}

int Interrupt::status() const { return kSignalled + signal_.load(); }

}  // namespace prover::cli
