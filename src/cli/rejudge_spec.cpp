// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include "cli/shared_flags.hpp"

namespace assay::cli {

const CommandSpec& rejudge_spec() {
  static const CommandSpec kSpec = {
      .name = "rejudge",
      .summary = "Judge stored runs again with other settings (exploratory)",
      .usage = {"rejudge [options] ID"},
      .details =
          "Nothing is run and the record keeps its own conclusion. Settings that were chosen after "
          "seeing the runs carry no error bound, so the report is labelled exploratory.",
      .positionals = {{.name = "ID",
                       .help = "the record, or the first characters of its id",
                       .at_least = 1,
                       .at_most = 1,
                       .complete = Complete::record}},
      .examples = {{"assay rejudge --tolerance 5% k3f9a2bc",
                    "Would it pass with a wider tolerance?"}},
      .flags = join_flags({{{.name = "tolerance",
                             .value = "PERCENT",
                             .help = "differences below this do not matter (else as recorded)",
                             .group = "Deciding",
                             .common = true},
                            {.name = "max-runs",
                             .value = "N",
                             .help = "use at most this many runs a side (else as recorded)",
                             .group = "Deciding",
                             .common = true},
                            {.name = "gate",
                             .value = "LIST",
                             .help = "metrics that decide, with commas between (else as recorded)",
                             .group = "Deciding",
                             .common = true}},
                           report_file_flags(),
                           {strict_flag()}})};
  return kSpec;
}

}  // namespace assay::cli
