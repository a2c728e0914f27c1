// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cli/commands.hpp"

namespace assay::cli {

const CommandSpec& version_spec() {
  static const CommandSpec kSpec = {.name = "version",
                                    .summary = "Print the version",
                                    .usage = {"version"},
                                    .details = {},
                                    .positionals = {},
                                    .examples = {{"assay version", "What to name in a bug report"}},
                                    .flags = {}};
  return kSpec;
}

Result<int> run_version(const Arguments&, Terminal& terminal) {
  terminal.print(fmt::format("assay {}\n", ASSAY_VERSION));
  return kFine;
}

}  // namespace assay::cli
