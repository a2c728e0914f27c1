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
          "synthetic or recorded runs, and prints false alarms, power, wrong signs, runs to a "
          "verdict and coverage as a Markdown table. The tables of docs/statistics.md are what "
          "this prints. The numbers depend on the options and the seed alone, not on the machine "
          "or the number of threads. Ctrl-C ends it behind the rows that are done.",
      .positionals = {{.name = "KIND",
                       .help = "what to simulate: compare",
                       .at_least = 1,
                       .at_most = 1,
                       .choices = {"compare"}}},
      .examples = {{"assay simulate compare --ratio 1 --reps 20000", "How often does it cry wolf?"},
                   {"assay simulate compare --noise ln3,drift --ratio 1.02,1.05",
                    "Would it see 2 % and 5 % on noise like this?"},
                   {"assay simulate compare --path control,reruns,sessions --ratio 1",
                    "Do the other paths to a verdict keep their promise?"}},
      .flags = {
          {.name = "noise",
           .value = "LIST",
           .help = "noise models, with commas between (default: all)",
           .details = "ln1, ln3, ln10 and any lnX: independent lognormal runs of X %; heavy, "
                      "bimodal, drift, position, lindrift; cpu_aa_shared, cpu_aa_blocks and "
                      "mem_aa_shared: runs that were recorded on a busy machine, wall, CPU and "
                      "memory together; levels: a counter of two values.",
           .group = "Simulation",
           .common = true},
          {.name = "ratio",
           .value = "LIST",
           .help = "true ratios candidate / baseline (default: 1 to 1.1)",
           .details = "1.05 means that the candidate takes 5 % more.",
           .group = "Simulation",
           .common = true},
          {.name = "path",
           .value = "LIST",
           .help = "ways to a verdict, or all",
           .details = "gates is 'assay compare A B'. The others: single, own, higher, waiting, "
                      "candidates, control, tails, budget, floor, reruns, rejudge, sessions, "
                      "exact. Each has noise models and ratios of its own unless told otherwise.",
           .fallback = "gates",
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
          {.name = "threads",
           .value = "N",
           .help = "threads to use (default: one for each core)",
           .group = "Simulation"},
          {.name = "only",
           .value = "LIST",
           .help = "print only these lines of each row, such as overall",
           .details = "The names in the column 'what': wall, cpu, peak_mem, overall, ...",
           .group = "Reporting"},
          {.name = "json",
           .help = "print JSON instead of a table",
           .group = "Reporting",
           .common = true}}};
  return kSpec;
}

}  // namespace assay::cli
