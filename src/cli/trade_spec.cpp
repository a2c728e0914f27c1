// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"

namespace assay::cli {

const CommandSpec& trade_spec() {
  static const CommandSpec kSpec = {
      .name = "trade",
      .summary = "Price memory against throughput, and find what no other beats",
      .usage = {"trade [options] FILE.csv", "trade --record ID [--record ID ...]"},
      .details =
          "From a table of settings with their time an item and their peak memory, or from stored "
          "comparisons: the Pareto front, which settings are dominated and by which, how much "
          "throughput a GiB buys along the front, the line that the peak follows over one setting "
          "with what lies off it, and what a memory budget allows.",
      .positionals = {{.name = "FILE.csv",
                       .help = "a table with a header line (- for stdin)",
                       .at_most = 1,
                       .complete = Complete::file}},
      .examples = {{"assay trade --setting pw --cost s_per_proof --memory peak_rss_gib --by table "
                    "sweep.csv",
                    "Every table of a published sweep"},
                   {"assay trade --setting pw --cost s_per_proof --memory peak_rss_gib --where "
                    "table=phase12 --memory-budget 400GiB sweep.csv",
                    "What fits into 400 GiB?"},
                   {"assay trade --record k3f9a2bc", "The sides of a stored comparison"}},
      .flags = {
          {.name = "setting",
           .value = "LIST",
           .help = "columns that are settings; the first one is what the peak follows",
           .details = "Without it: the columns of numbers left of the cost. With --record: an "
                      "environment variable or an option of the commands.",
           .group = "Table",
           .common = true},
          {.name = "cost",
           .value = "COLUMN",
           .help = "the time an item; its unit by its ending (_s, _ms, s_per_...)",
           .details = "Without it: the only column called s_per_... or ms_per_....",
           .group = "Table",
           .common = true},
          {.name = "memory",
           .value = "COLUMN",
           .help = "the peak memory; its unit by its ending (_bytes, _mib, _gib)",
           .details = "Without it: the only column that ends in a unit of memory.",
           .group = "Table",
           .common = true},
          {.name = "where",
           .value = "COLUMN=VALUE",
           .help = "only the rows with this value",
           .group = "Table",
           .common = true},
          {.name = "by",
           .value = "COLUMN",
           .help = "a report of its own for each value of this column",
           .details = "Settings are compared only when they did the same work.",
           .group = "Table"},
          {.name = "record",
           .value = "ID",
           .help = "take the sides of a stored comparison or measurement",
           .details = "Median wall time and peak memory of each side, with their 99 % "
                      "intervals.",
           .group = "Records",
           .complete = Complete::record,
           .repeatable = true,
           .common = true},
          {.name = "memory-budget",
           .value = "BYTES",
           .help = "say which settings fit this much memory",
           .group = "Deciding",
           .common = true},
          {.name = "json",
           .help = "print JSON instead of text",
           .group = "Reporting",
           .common = true}}};
  return kSpec;
}

}  // namespace assay::cli
