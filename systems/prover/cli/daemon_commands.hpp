// SPDX-License-Identifier: Apache-2.0
// What the program prover-daemon does, by the first word. `prover` starts it for these words.
#pragma once

#include <vector>

#include "prover/cli/command.hpp"

namespace prover::cli {

// The rows, for the table of all commands.
std::vector<Command> daemon_commands();

// In prover-daemon only.
Result<int> run_daemon(const Arguments& arguments);
Result<int> run_config(const Arguments& arguments);
Result<int> run_submit(const Arguments& arguments);
Result<int> run_await(const Arguments& arguments);
Result<int> run_cancel(const Arguments& arguments);
Result<int> run_status(const Arguments& arguments);
Result<int> run_preload(const Arguments& arguments);
Result<int> run_evict(const Arguments& arguments);

}  // namespace prover::cli
