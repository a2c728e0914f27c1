// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"

namespace assay::cli {

const CommandSpec& run_spec() {
  static const CommandSpec kSpec = {
      .name = "run",
      .summary = "Run the experiments that a file describes",
      .usage = {"run [options] [FILE.toml] [NAME ...]"},
      .details =
          "FILE has tables [compare.NAME], [sweep.NAME], [ablate.NAME], [bisect.NAME], "
          "[timeline.NAME], [measure.NAME] and [calibrate.NAME]; without FILE it is the nearest "
          "assay.toml. The whole file is checked before anything starts. Then they run in the "
          "order "
          "of the file, in its folder, all of them or those that are named; the exit status is the "
          "worst of theirs.",
      .positionals = {{.name = "FILE",
                       .help = "the file, and the names of experiments (cap, or sweep.cap)",
                       .at_most = Positional::kAny,
                       .complete = Complete::file}},
      .examples = {{"assay run --dry-run plan.toml", "What would be run, and its price?"},
                   {"assay run plan.toml cap encode", "Two of them"}},
      .flags = {{.name = "dry-run",
                 .help = "print what would be run, and its price, and stop",
                 .group = "Running",
                 .common = true},
                {.name = "json",
                 .value = "FILE",
                 .help = "write the summary as JSON (- for stdout, then without the reports)",
                 .group = "Reporting",
                 .complete = Complete::file}}};
  return kSpec;
}

}  // namespace assay::cli
