// SPDX-License-Identifier: Apache-2.0
#include "prover/cli/interrupt.hpp"

#include <unistd.h>

#include "prover/cli/exit_status.hpp"

namespace prover::cli {

Interrupt::Interrupt()
    : watch_([this](int number) {
        if (signal_.exchange(number) != 0) ::_exit(kSignalled + number);
      }) {}

int Interrupt::status() const { return kSignalled + signal_.load(); }

}  // namespace prover::cli
