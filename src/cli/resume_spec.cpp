// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include "cli/shared_flags.hpp"

namespace assay::cli {

const CommandSpec& resume_spec() {
  static const CommandSpec kSpec = {
      .name = "resume",
      .summary = "Go on with an experiment that was interrupted",
      .usage = {"resume [options] [ID]"},
      .details =
          "Re-enters the block that was cut, in the same order, and repeats only the run that was "
          "lost. The conclusion is the one that the same runs would have given without the "
          "interruption. Without ID: the newest one that was interrupted.",
      .positionals = {{.name = "ID",
                       .help = "the record, or the first characters of its id",
                       .at_most = 1,
                       .complete = Complete::record}},
      .examples = {{"assay resume", "After Ctrl-C, a crash or a power cut"}},
      .flags = join_flags({{{.name = "no-wait",
                             .help = "refuse instead of waiting for another experiment",
                             .group = "Running"}},
                           {{.name = "html",
                             .value = "FILE",
                             .help = "write the report as a page",
                             .group = "Reporting",
                             .complete = Complete::file}},
                           report_file_flags(),
                           {strict_flag()}})};
  return kSpec;
}

}  // namespace assay::cli
