// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include "cli/usage.hpp"

namespace assay::cli {

const CommandSpec& help_spec() {
  static const CommandSpec kSpec = {
      .name = "help",
      .summary = "Explain a command, or list all",
      .usage = {"help [COMMAND [VERB]]"},
      .details = {},
      .positionals = {{.name = "COMMAND",
                       .help = "the command to explain",
                       .at_most = 1,
                       .complete = Complete::name},
                      {.name = "VERB", .help = "one verb of it", .at_most = 1}},
      .examples = {{"assay help compare", "Everything about one command"},
                   {"assay help suite audit", "About one verb of it"}},
      .flags = {{.name = "markdown",
                 .help = "print the manual's reference page",
                 .group = "Help",
                 .common = true}}};
  return kSpec;
}

Result<int> run_help(const Arguments& arguments, Terminal& terminal) {
  if (arguments.has("markdown")) {
    terminal.print(reference_page(all_specs()));
  } else if (arguments.positionals.empty()) {
    terminal.print(overview(all_specs()));
  } else {
    const CommandSpec* spec = find_spec(arguments.positionals.front());
    if (spec == nullptr) return fail(unknown_command(arguments.positionals.front()));
    terminal.print(full_help(spec_to_explain(*spec, std::span(arguments.positionals).subspan(1))));
  }
  return kFine;
}

}  // namespace assay::cli
