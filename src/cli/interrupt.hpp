// SPDX-License-Identifier: Apache-2.0
// Ctrl-C, SIGTERM and SIGHUP end an experiment in order: a flag is set, the running trial is killed
// and what is done is in the store. A second one exits at once (status 130); the launcher then
// kills the trial's tree itself, when its pipe closes.
#pragma once

#include <atomic>

namespace assay::cli {

// Installs the handlers (once; SIGHUP stays ignored under nohup) and makes SIGPIPE harmless.
// Returns the flag.
const std::atomic<bool>& watch_interrupts();

// From here on the first signal ends the program (status 130): for commands that only read, and
// have nothing to put in order.
void exit_on_interrupt();

}  // namespace assay::cli
