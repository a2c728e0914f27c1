// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include "cli/design_options.hpp"
#include "cli/shared_flags.hpp"

namespace assay::cli {

const CommandSpec& ablate_spec() {
  static const CommandSpec kSpec = {
      .name = "ablate",
      .summary = "Which of several changes, alone or in pairs",
      .usage = {"ablate --change NAME=CHANGE --change NAME=CHANGE ... [options] -- CMD ARGS...",
                "ablate --plan changes.toml [options] -- CMD ARGS..."},
      .details =
          "Several changes landed together and it got slower. Everything on is compared with "
          "everything off first; when that does not reproduce, nothing is searched (--anyway goes "
          "on: effects may cancel). Then configurations are run in rounds in which each change and "
          "each pair is clear of the others, and after each round few causes are weighed against "
          "each other: one change, two that act only together, two of which either does it, of "
          "either sign, several at once. Where each configuration must be built, always that one "
          "is run that tells most for its price. What is found is put to the rule of 'assay "
          "compare' among the others as they are.\n"
          "A change is one of\n"
          "  VAR=VALUE          an environment variable\n"
          "  --flag ...         words behind the command\n"
          "  set:NAME=OFF,ON    {NAME} in the command, --env, --input, a hook or --build\n"
          "  define:NAME=VALUE  -DNAME=VALUE for {defines} in --build\n"
          "  patch:FILE         a patch, applied when on\n"
          "  commit:REV         reverted when off if --rev contains it, else applied when on\n"
          "A configuration that does not build or fails is a result.",
      .positionals = {},
      .takes_trailing = true,
      .examples =
          {{"assay ablate --change pin=PROVER_PIN=on --change early=--early-free -- ./prove in",
            "An environment variable and a flag"},
           {"assay ablate --change cap=set:cap=4,1 --change lto=define:LTO=1 --build 'make "
            "CPPFLAGS=\"{defines}\"' -- ./bench --cap={cap}",
            "A value and a definition"},
           {"assay ablate --change a=commit:3fa1c2d --change b=commit:9c0e1aa --build make -- "
            "./bench",
            "Two commits, each taken back and not"},
           {"assay ablate --plan changes.toml --gate cpu -- ./bench --small", "From a file"}},
      .flags = join_flags(
          {{{.name = "change",
             .value = "NAME=CHANGE",
             .help = "something that is on or off; 2 to 10 of them",
             .group = "Deciding",
             .repeatable = true,
             .common = true},
            {.name = "plan",
             .value = "FILE",
             .help = "more changes, from tables [change.NAME] of a file",
             .group = "Deciding",
             .complete = Complete::file,
             .common = true},
            {.name = "anyway",
             .help = "go on although all on and all off do not differ",
             .group = "Deciding"},
            {.name = "adaptive",
             .help = "choose configurations one by one, as where each must be built",
             .details = "Fewer runs, but each choice depends on what was measured; the "
                        "level of the machine may wander, instead of one for each round.",
             .group = "Deciding"},
            {.name = "max-runs",
             .value = "N",
             .help = "runs of the search, without reproduction and confirmation",
             .details = "Unless given: four times the fixed design, or twice where configurations "
                        "are chosen one by one.",
             .group = "Deciding"},
            {.name = "env",
             .value = "NAME=VALUE",
             .help = "environment variable of every run",
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
