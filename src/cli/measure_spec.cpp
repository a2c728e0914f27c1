// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include "cli/shared_flags.hpp"

namespace assay::cli {

const CommandSpec& measure_spec() {
  static const CommandSpec kSpec = {
      .name = "measure",
      .summary = "Measure one command: distribution, memory, contention",
      .usage = {"measure [options] CMD", "measure [options] -- CMD ARGS..."},
      .details =
          "Median with its interval, mean, 90th and 99th percentile and maximum, memory, page "
          "faults, what competed for the machine, and a histogram. It gives no verdict: one side "
          "alone cannot be slower.",
      .positionals = {{.name = "CMD",
                       .help = "the command, quoted as one word",
                       .at_most = 1,
                       .complete = Complete::command}},
      .takes_trailing = true,
      .examples = {{"assay measure --runs 50 'sort words.txt'", "Fifty runs of one command"},
                   {"assay measure --prepare 'rm -rf out' -- make all",
                    "A command in its own words, with a hook before every run"}},
      .flags = join_flags({{{.name = "runs",
                             .value = "N",
                             .help = "how many runs",
                             .fallback = "30",
                             .group = "Deciding",
                             .common = true},
                            time_budget_flag("10m"),
                            metric_flag(),
                            {.name = "name",
                             .value = "TEXT",
                             .help = "a name for the record",
                             .group = "Reporting"}},
                           run_flags(),
                           report_file_flags(),
                           {dry_run_flag()}})};
  return kSpec;
}

}  // namespace assay::cli
