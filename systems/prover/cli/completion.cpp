// SPDX-License-Identifier: Apache-2.0
#include "prover/cli/commands.hpp"
#include "prover/cli/completion_script.hpp"
#include "prover/cli/exit_status.hpp"
#include "prover/cli/terminal.hpp"

namespace prover::cli {

Result<int> run_completion(const Arguments& arguments) {
  const std::string& shell = arguments.positionals[0];
  const std::string script = shell == "bash"  ? bash_completion()
                             : shell == "zsh" ? zsh_completion()
                                              : fish_completion();
  if (auto printed = print(script); !printed) return fail(printed.error());
  return kFine;
}

}  // namespace prover::cli
