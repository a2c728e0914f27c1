// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include "cli/design_options.hpp"
#include "cli/shared_flags.hpp"

namespace assay::cli {

const CommandSpec& bisect_spec() {
  static const CommandSpec kSpec = {
      .name = "bisect",
      .summary = "Which commit made it slower, on a noisy machine",
      .usage = {"bisect [options] --good REV [--bad REV] [--build CMD] -- CMD ARGS..."},
      .details =
          "The good and the bad end are run in turn until they differ beyond doubt; without that "
          "nothing is searched. Then always that commit is run that tells most for its price, and "
          "all runs on either side of a commit count together, so that noise is averaged and no "
          "single run decides. It ends when one commit has 97 %, compares it with its parent, "
          "tries the bad end without it, and looks for a second change. Commits that do not build, "
          "crash or hang stay suspects. Every commit is built once, in a tree of its own in the "
          "store; your checkout is not touched. --time-budget counts builds and runs.",
      .positionals = {},
      .takes_trailing = true,
      .examples =
          {{"assay bisect --good v1.2 --bad main --build 'make -j4' -- ./bench",
            "Somewhere in between it got slower"},
           {"assay bisect --good v1.2 --expect +5% --gate cpu --build make -- ./bench --small",
            "By about 5 %, and CPU time decides"},
           {"assay bisect --good v1.2 --likely src/pool --likely src/alloc.c -- ./run.sh",
            "Commits that touch these are suspected first"},
           {"assay bisect --good v1.2 --expect=-10% --build make -- ./bench",
            "Which commit made it faster by 10 %"}},
      .flags = join_flags(
          {{{.name = "good",
             .value = "REV",
             .help = "a revision before the change",
             .group = "Range",
             .common = true},
            {.name = "bad",
             .value = "REV",
             .help = "a revision behind it, which contains the good one",
             .fallback = "HEAD",
             .group = "Range",
             .common = true},
            {.name = "expect",
             .value = "CHANGE",
             .help = "how much slower the bad end is, as it was reported",
             .details = "Such as +5%; --expect=-5% searches what made it faster. Ends that differ "
                        "by less than half of it or more than twice do not reproduce the report.",
             .group = "Range",
             .common = true},
            {.name = "likely",
             .value = "PATH",
             .help = "suspect commits that touch this file or folder ten times as much",
             .group = "Range",
             .complete = Complete::file,
             .repeatable = true},
            {.name = "first-parent",
             .help = "search the main line only: a merge stands for all that it brought",
             .group = "Range"}},
           design_flags()})};
  return kSpec;
}

}  // namespace assay::cli
