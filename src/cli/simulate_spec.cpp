// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include "cli/shared_flags.hpp"

namespace assay::cli {

const CommandSpec& simulate_spec() {
  static const CommandSpec kSpec = {
      .name = "simulate",
      .summary = "Show how often a command's answers are right, on synthetic noise",
      .usage = {"simulate compare [options]",
                "simulate sweep|timeline|ablate|bisect|case|audit|suite [options]"},
      .details =
          "Drives the experiment that a command ships, at its shipped settings, with synthetic or "
          "recorded runs. For 'assay compare' it prints false alarms, power, wrong signs, runs to "
          "a verdict and coverage as a Markdown table; for the experiments over many arms how "
          "often they name the planted cause, name something else or stay undecided, the runs and "
          "builds that this takes, and whether the probabilities that they state hold. The tables "
          "of docs/statistics.md and docs/experiments.md are what this prints. The numbers depend "
          "on the options and the seed alone, not on the machine "
          "or the number of threads. Ctrl-C ends it behind the rows that are done.",
      .positionals =
          {{.name = "KIND",
            .help =
                "what to simulate: compare, sweep, timeline, ablate, bisect, case, audit or suite",
            .at_least = 1,
            .at_most = 1,
            .choices = {"compare", "sweep", "timeline", "ablate", "bisect", "case", "audit",
                        "suite"}}},
      .examples = {{"assay simulate compare --ratio 1 --reps 20000", "How often does it cry wolf?"},
                   {"assay simulate compare --noise ln3,drift --ratio 1.02,1.05",
                    "Would it see 2 % and 5 % on noise like this?"},
                   {"assay simulate compare --path control,reruns,sessions --ratio 1",
                    "Do the other paths to a verdict keep their promise?"},
                   {"assay simulate sweep --only step", "How often is a step of a level found?"}},
      .flags = {
          {.name = "noise",
           .value = "LIST",
           .help = "noise models, with commas between (default: all)",
           .details = "Experiments over many arms have noise of their own unless told otherwise. "
                      "ln1, ln3, ln10 and any lnX: independent lognormal runs of X %; heavy, "
                      "bimodal, drift, position, lindrift; cpu_aa_shared, cpu_aa_blocks and "
                      "mem_aa_shared: runs that were recorded on a busy machine, wall, CPU and "
                      "memory together; levels: a counter of two values.",
           .group = "Simulation",
           .common = true},
          {.name = "ratio",
           .value = "LIST",
           .help = "compare: true ratios candidate / baseline (default: 1 to 1.1)",
           .details = "1.05 means that the candidate takes 5 % more.",
           .group = "Simulation",
           .common = true},
          {.name = "path",
           .value = "LIST",
           .help = "compare: ways to a verdict, or all",
           .details = "gates is 'assay compare A B'. The others: single, own, higher, waiting, "
                      "candidates, control, tails, budget, floor, reruns, rejudge, sessions, "
                      "imported, exact. Each has noise models and ratios of its own unless told "
                      "otherwise.",
           .fallback = "gates",
           .group = "Simulation",
           .common = true},
          {.name = "reps",
           .value = "N",
           .help = "experiments simulated for each row",
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
           .details = "compare: the names in the column 'what': wall, cpu, peak_mem, overall, ... "
                      "The others: a text that the scenario must contain, such as 'k = 5'.",
           .group = "Reporting",
           .repeatable = true},
          {.name = "json",
           .help = "print JSON instead of a table",
           .group = "Reporting",
           .common = true}}};
  return kSpec;
}

}  // namespace assay::cli
