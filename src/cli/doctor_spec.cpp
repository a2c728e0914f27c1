// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"

namespace assay::cli {

const CommandSpec& doctor_spec() {
  static const CommandSpec kSpec = {
      .name = "doctor",
      .summary = "Say what on this machine disturbs measuring, and how to mend it",
      .usage = {"doctor [options]"},
      .details =
          "Cores, SMT, governor, turbo, ASLR, counters, cgroups, pressure, steal, timer and load: "
          "what hurts, how to mend it, and what cannot be mended. Then a short comparison of a "
          "command with itself, with and without --isolate, and the smallest difference that this "
          "machine shows with 30 runs a side.",
      .positionals = {},
      .examples = {{"assay doctor", "Before trusting a new machine"},
                   {"assay doctor --quick --json", "The facts alone, for a script"}},
      .flags = {{.name = "quick",
                 .help = "only look; leave out the 20-second comparison",
                 .group = "Doctor",
                 .common = true},
                {.name = "json",
                 .help = "print JSON instead of text",
                 .group = "Reporting",
                 .common = true}}};
  return kSpec;
}

}  // namespace assay::cli
