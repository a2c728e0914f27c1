// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include "cli/shared_flags.hpp"

namespace assay::cli {

const CommandSpec& calibrate_spec() {
  static const CommandSpec kSpec = {
      .name = "calibrate",
      .summary = "Measure the noise floor of a command on this machine",
      .usage = {"calibrate [options] CMD", "calibrate [options] -- CMD ARGS..."},
      .details =
          "Compares the command with copies of itself. Without --relink the copies are identical "
          "and the floor should be near zero: a check of the machine and of assay. With --relink "
          "every copy is laid out differently, and the floor is what a rebuild alone may change; "
          "later comparisons on this host take it into account for 30 days.",
      .positionals = {{.name = "CMD",
                       .help = "the command, quoted as one word",
                       .at_most = 1,
                       .complete = Complete::command}},
      .takes_trailing = true,
      .examples = {{"assay calibrate './bench --once'", "Is this machine fit to compare on?"},
                   {"assay calibrate --relink 'make relink SEED=$ASSAY_LAYOUT' ./bench",
                    "What another layout of the same program changes"}},
      .flags = join_flags(
          {{{.name = "relink",
             .value = "CMD",
             .help = "shell command that lays the program out anew",
             .details =
                 "Runs before each comparison with ASSAY_LAYOUT set to 1, 2, ...; afterwards "
                 "the candidate must stand where CMD of this calibration finds it.",
             .group = "Deciding",
             .complete = Complete::command,
             .common = true},
            {.name = "comparisons",
             .value = "N",
             .help = "how many comparisons (5 to 50), 36 runs a side each",
             .fallback = "5",
             .group = "Deciding",
             .common = true},
            time_budget_flag("30m"),
            metric_flag()},
           run_flags(),
           report_file_flags(),
           {dry_run_flag()}})};
  return kSpec;
}

}  // namespace assay::cli
