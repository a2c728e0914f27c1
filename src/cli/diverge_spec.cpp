// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"

namespace assay::cli {

const CommandSpec& diverge_spec() {
  static const CommandSpec kSpec = {
      .name = "diverge",
      .summary = "Find the step from which two implementations answer differently",
      .usage = {"diverge --key NAME --value NAME [options] A B [C ...]",
                "diverge --key NAME --value NAME --kind K=A,B --kind L=C --control K=D,E"},
      .details =
          "Each file is the log of one participant: JSON lines, or text with key=value or key: "
          "value. A step is an integer that grows (a slot, a height), an answer anything that must "
          "be the same everywhere (a state root). Told are the last agreed step, the first "
          "disagreement with the lines around it, the groups that agree over time, and in each log "
          "rewinds, stalls, gaps and answers that changed. Hexadecimal answers are compared "
          "without regard to case. Exit status: 0 agree, 1 diverge, 2 bad input, 3 no step in "
          "common, 4 with --strict when a participant stops or lacks steps.",
      .positionals = {{.name = "LOG",
                       .help = "one participant's log (- for stdin; gzip and zstd are unpacked)",
                       .at_most = Positional::kAny,
                       .complete = Complete::file}},
      .examples = {{"assay diverge --key slot --value state_root a.jsonl b.jsonl",
                    "Where do two nodes part?"},
                   {"assay diverge --key slot --value root --pattern 'block (?P<slot>\\d+) -> "
                    "(?P<root>0x[0-9a-f]+)' a.log b.log",
                    "Logs of any form"},
                   {"assay diverge --key slot --value state_root --kind A=a1.log,a2.log --kind "
                    "B=b1.log --control A=c1.log,c2.log",
                    "Four nodes of one kind and of two: between whom is it?"}},
      .flags = {
          {.name = "key",
           .value = "NAME",
           .help = "the step: a member of the JSON lines, or the word before = or :",
           .details = "A nested member is a JSON pointer: /data/slot.",
           .group = "Reading",
           .common = true},
          {.name = "value",
           .value = "NAME",
           .help = "the answer to compare, named likewise",
           .group = "Reading",
           .common = true},
          {.name = "pattern",
           .value = "REGEX",
           .help = "read lines by this expression (RE2) instead",
           .details = "It has named groups for the key, the value and what --where asks for: "
                      "(?P<slot>\\d+).",
           .group = "Reading",
           .common = true},
          {.name = "where",
           .value = "NAME=VALUE",
           .help = "only lines with this value",
           .details = "For logs that have the step in lines of several kinds: --where event=block.",
           .group = "Reading",
           .repeatable = true,
           .common = true},
          {.name = "bare-hex",
           .help = "hexadecimal answers with and without 0x are the same",
           .group = "Reading"},
          {.name = "kind",
           .value = "KIND=LOG,LOG",
           .help = "participants of one implementation",
           .group = "Participants",
           .repeatable = true,
           .common = true},
          {.name = "control",
           .value = "KIND=LOG,LOG",
           .help = "another run, all of whose participants are of this kind",
           .details = "Its participants are compared with one another. When they agree where the "
                      "mixed run splits, the disagreement is between the kinds. all-KIND is the "
                      "same as KIND.",
           .group = "Participants",
           .repeatable = true,
           .common = true},
          {.name = "context",
           .value = "N",
           .help = "lines around the first disagreement",
           .fallback = "2",
           .group = "Reporting"},
          {.name = "strict",
           .help = "exit with 4 when all agree but a participant stops early or lacks steps",
           .group = "Reporting",
           .common = true},
          {.name = "json",
           .value = "FILE",
           .help = "write all of it as JSON; alone: to stdout, without the text",
           .group = "Reporting",
           .complete = Complete::file,
           .or_stdout = true,
           .common = true}}};
  return kSpec;
}

}  // namespace assay::cli
