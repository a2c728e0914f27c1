// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include "cli/shared_flags.hpp"

namespace assay::cli {

const CommandSpec& simulate_spec() {
  static const CommandSpec kSpec = {
      .name = "simulate",
      .summary = "Show how often a command's verdicts are right, on synthetic noise",
      .usage = {"simulate compare [options]"},
      .details =
          "Drives the experiment that 'assay compare' ships, at its shipped settings, with "
          "synthetic "
          "runs, and prints false alarms, power, wrong signs, runs to a verdict and coverage. The "
          "table of docs/statistics.md is what this prints.",
      .positionals = {{.name = "KIND",
                       .help = "what to simulate: compare",
                       .at_least = 1,
                       .at_most = 1,
                       .choices = {"compare"}}},
      .examples = {{"assay simulate compare --ratio 1 --reps 20000", "How often does it cry wolf?"},
                   {"assay simulate compare --noise ln3,drift --ratio 1.02,1.05",
                    "Would it see 2 % and 5 % on noise like this?"}},
      .flags = {{.name = "noise",
                 .value = "LIST",
                 .help = "noise models, with commas between (default: all)",
                 .group = "Simulation",
                 .common = true},
                {.name = "ratio",
                 .value = "LIST",
                 .help = "true ratios candidate / baseline",
                 .fallback = "1,1.01,1.02,1.03,1.05,1.1",
                 .group = "Simulation",
                 .common = true},
                {.name = "reps",
                 .value = "N",
                 .help = "comparisons simulated for each row",
                 .fallback = "2000",
                 .group = "Simulation",
                 .common = true},
                tolerance_flag(),
                {.name = "seed",
                 .value = "N",
                 .help = "seed of the noise",
                 .fallback = "1",
                 .group = "Simulation",
                 .common = true},
                {.name = "json",
                 .help = "print JSON instead of a table",
                 .group = "Reporting",
                 .common = true}}};
  return kSpec;
}

}  // namespace assay::cli
