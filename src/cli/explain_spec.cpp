// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include "cli/read_log.hpp"

namespace assay::cli {

const CommandSpec& explain_spec() {
  static const CommandSpec kSpec = {
      .name = "explain",
      .summary = "Say from logs where time went, or where two runs differ",
      .usage = {"explain [options] LOG [LOG_B]", "explain [options] A1 A2 ... -- B1 B2 ..."},
      .details =
          "One log: the stages with their distributions, what bounds the run, books that close, "
          "memory. Two logs: whether they can be compared, then the difference split into parts "
          "that add up to it, found by replaying the measured pipeline with one factor after the "
          "other taken from the other side. When the replay does not reproduce the logs, the "
          "split is refused and the reason is given. Logs describe; a verdict needs runs in "
          "random order: 'assay compare'.",
      .positionals = {{.name = "LOG",
                       .help = "a log, a folder that $ASSAY_EVENTS named, or - for stdin",
                       .at_least = 1,
                       .at_most = Positional::kAny,
                       .complete = Complete::file}},
      .takes_trailing = true,
      .trailing_is_command = false,
      .examples = {{"assay explain run.log", "Where one run spent its time"},
                   {"assay explain before.log after.log",
                    "Which stages account for the difference"},
                   {"assay explain --html report.html before.log after.log",
                    "The same as a page with both timelines"},
                   {"assay explain a1.log a2.log a3.log -- b1.log b2.log b3.log",
                    "Several runs a side, so that intervals are over runs"},
                   {"assay explain --memory-budget 400GiB run.log", "What fits into the memory?"}},
      .flags = {format_flag(),
                rules_flag(),
                {.name = "rules-b",
                 .value = "FILE",
                 .help = "the rules of side B, where its topology differs",
                 .group = "Reading",
                 .complete = Complete::file},
                {.name = "json",
                 .help = "print JSON instead of text",
                 .group = "Reporting",
                 .common = true},
                {.name = "curves",
                 .help = "with --json: 101 quantiles of every distribution",
                 .group = "Reporting"},
                {.name = "html",
                 .value = "FILE",
                 .help = "write a page that opens without network (- for stdout)",
                 .details = "Timelines, parts, distributions, items in flight and memory.",
                 .group = "Reporting",
                 .complete = Complete::file,
                 .common = true},
                {.name = "top",
                 .value = "N",
                 .help = "rows of each table",
                 .fallback = "10",
                 .group = "Reporting",
                 .common = true},
                {.name = "all",
                 .help = "every row and warning, and the checks that hold",
                 .details = "With two sides, each run in full behind the difference.",
                 .group = "Reporting",
                 .common = true},
                {.name = "memory-budget",
                 .value = "BYTES",
                 .help = "say how many items at once fit this much memory",
                 .details = "By the model of memory over items in flight, which needs memory "
                            "readings in the log.",
                 .group = "Explaining",
                 .common = true},
                {.name = "seed",
                 .value = "N",
                 .help = "seed of the intervals and of sampled replays",
                 .fallback = "1",
                 .group = "Explaining"}}};
  return kSpec;
}

}  // namespace assay::cli
