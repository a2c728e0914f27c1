// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include "cli/design_options.hpp"
#include "cli/shared_flags.hpp"

namespace assay::cli {

const CommandSpec& sweep_spec() {
  static const CommandSpec kSpec = {
      .name = "sweep",
      .summary = "Which value? Flat, trend or step over the levels of a parameter",
      .usage = {"sweep --param NAME=LEVELS [options] -- CMD ... {NAME} ...",
                "sweep --param NAME=LEVELS --param NAME=LEVELS [options] -- CMD ..."},
      .details =
          "Runs every level once a round, in random order, and says whether the metric is FLAT "
          "over "
          "the levels (so the parameter is not the cause), follows a TREND, or makes a STEP, and "
          "where. Beside it: each level against the first with its interval, peak memory, the "
          "levels that no other beats in both, the knee, and for peak memory a fitted line.\n"
          "{NAME} stands for the level in the command, in --env, --build, --input and the hooks. A "
          "level that fails is a result; the others go on.",
      .positionals = {{.name = "CMD",
                       .help = "the command, quoted as one word",
                       .at_most = 1,
                       .complete = Complete::command}},
      .takes_trailing = true,
      .examples = {{"assay sweep --param cap=1,2,4 -- ./encode --cap={cap} in.bin",
                    "Does the cap matter?"},
                   {"assay sweep --param n=1..64*2 --memory-budget 2GiB -- ./sort -b {n}M in",
                    "Doubling levels, and the largest that fits the memory"},
                   {"assay sweep --param cap=1,2,4 --build 'make CAP={cap}' -- ./bench",
                    "Built once for every level"},
                   {"assay sweep --param threads=1..8 --env OMP_NUM_THREADS={threads} -- ./solve",
                    "By the environment"}},
      .flags = join_flags(
          {{{.name = "param",
             .value = "NAME=LEVELS",
             .help = "the parameter and its levels; once or twice",
             .details = "Levels with commas between, in order: 1,2,4, or ranges of whole numbers: "
                        "1..8, 1..64*2 (doubling), 0..100+25. 2 to 256 combinations.",
             .group = "Deciding",
             .repeatable = true,
             .common = true},
            {.name = "rounds",
             .value = "N",
             .help = "runs of every level, 12 to 512",
             .fallback = "24",
             .group = "Deciding",
             .common = true},
            {.name = "memory-budget",
             .value = "BYTES",
             .help = "say which is the largest level whose peak memory fits",
             .group = "Deciding"},
            {.name = "env",
             .value = "NAME=VALUE",
             .help = "environment variable of every run; VALUE may have {NAME}",
             .group = "Running",
             .repeatable = true},
            {.name = "rev",
             .value = "REV",
             .help = "the revision that is built; HEAD with --build",
             .group = "Revisions"}},
           design_flags()})};
  return kSpec;
}

}  // namespace assay::cli
