// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include "cli/store_access.hpp"

namespace assay::cli {

const CommandSpec& show_spec() {
  static const CommandSpec kSpec = {
      .name = "show",
      .summary = "Print the report of a record again",
      .usage = {"show [options] [ID]"},
      .details = "Without ID: the newest record.",
      .positionals = {{.name = "ID",
                       .help = "the record, or the first characters of its id",
                       .at_most = 1,
                       .complete = Complete::record}},
      .examples = {{"assay show", "The last report"},
                   {"assay show --json k3f9a2bc", "One conclusion, for a script"}},
      .flags = {{.name = "json",
                 .help = "print the conclusion as JSON",
                 .group = "Reporting",
                 .common = true},
                {.name = "markdown",
                 .help = "print it as a comment for a pull request",
                 .group = "Reporting",
                 .common = true}}};
  return kSpec;
}

Result<int> run_show(const Arguments& arguments, Terminal& terminal) {
  const auto store = open_existing_store(arguments);
  if (!store) return fail(store.error());
  (void)terminal;
  return kFine;
}

}  // namespace assay::cli
