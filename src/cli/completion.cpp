// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include "cli/completion_script.hpp"

namespace assay::cli {

const CommandSpec& completion_spec() {
  static const CommandSpec kSpec = {
      .name = "completion",
      .summary = "Print the completion script of a shell",
      .usage = {"completion bash|zsh|fish"},
      .details = {},
      .positionals = {{.name = "SHELL",
                       .help = "bash, zsh or fish",
                       .at_least = 1,
                       .at_most = 1,
                       .choices = {"bash", "zsh", "fish"}}},
      .examples = {{"source <(assay completion bash)", "Completion in this bash"},
                   {"assay completion fish > ~/.config/fish/completions/assay.fish",
                    "Completion in every fish"}},
      .flags = {}};
  return kSpec;
}

Result<int> run_completion(const Arguments& arguments, Terminal& terminal) {
  const std::string& shell = arguments.positionals.front();
  if (shell == "bash")
    terminal.print(bash_completion(all_specs()));
  else if (shell == "zsh")
    terminal.print(zsh_completion(all_specs()));
  else
    terminal.print(fish_completion(all_specs()));
  return kFine;
}

}  // namespace assay::cli
