// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include "cli/design_options.hpp"
#include "cli/shared_flags.hpp"

namespace assay::cli {

const CommandSpec& timeline_spec() {
  static const CommandSpec kSpec = {
      .name = "timeline",
      .summary = "What did each of these commits do to time and memory?",
      .usage = {"timeline R1..R2 [options] -- CMD ARGS...",
                "timeline --commits LIST [options] -- CMD ARGS..."},
      .details =
          "Builds every commit once and runs all of them in rounds, in random order. For each: the "
          "change against its parent and against the first, with intervals, and peak memory. It "
          "marks the commits at which the metric steps, says which later commit undid a step, and "
          "whether the last one equals the first: then undoing them all loses nothing.\n"
          "R1..R2 is the main line from R1 to R2, both included; merges stand for what they bring. "
          "For long ranges 'assay bisect' needs far fewer builds and runs.",
      .positionals = {{.name = "R1..R2", .help = "the first and the last revision", .at_most = 1}},
      .takes_trailing = true,
      .examples = {{"assay timeline v1.2..main --build make -- ./bench",
                    "Every commit since the release"},
                   {"assay timeline --commits v1.0,v1.1,v1.2,main --build make -- ./bench",
                    "Some revisions, in this order"}},
      .flags = join_flags({{{.name = "commits",
                             .value = "LIST",
                             .help = "revisions with commas between, the oldest first",
                             .group = "Revisions",
                             .common = true},
                            {.name = "rounds",
                             .value = "N",
                             .help = "runs of every commit, 12 to 512",
                             .fallback = "12",
                             .group = "Deciding",
                             .common = true}},
                           design_flags()})};
  return kSpec;
}

}  // namespace assay::cli
