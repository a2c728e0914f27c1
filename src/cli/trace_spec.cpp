// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include "cli/read_log.hpp"

namespace assay::cli {

const CommandSpec& trace_spec() {
  static const CommandSpec kSpec = {
      .name = "trace",
      .summary = "Read, check and convert logs of what a program did over time",
      .usage = {"trace check [options] LOG", "trace export --to NAME [options] LOG [LOG_B]",
                "trace rules --suggest LOG", "trace rules --show timeline", "trace formats"},
      .details =
          "check says what was understood of a log and what was lost. export writes it in another "
          "format, two logs side by side. rules makes a rules file from the shape of an unknown "
          "log, or prints the built-in ones. formats lists what can be read, and what each format "
          "cannot tell.",
      .positionals = {{.name = "VERB",
                       .help = "check, export, rules or formats",
                       .at_least = 1,
                       .at_most = 1,
                       .choices = {"check", "export", "rules", "formats"}},
                      {.name = "LOG",
                       .help = "a log, a folder that $ASSAY_EVENTS named, or - for stdin",
                       .at_most = 2,
                       .complete = Complete::file}},
      .examples = {{"assay trace rules --suggest run.log > run.toml", "A first rules file"},
                   {"assay trace check --rules run.toml run.log", "Does every rule match?"},
                   {"assay trace export --to chrome -o both.json before.log after.log",
                    "Two runs side by side in ui.perfetto.dev"}},
      .flags = {
          format_flag(),
          rules_flag(),
          {.name = "to",
           .value = "NAME",
           .help = "export: the format to write",
           .details = "chrome and perfetto open in ui.perfetto.dev, two logs aligned at their "
                      "first completion; csv has a line for every span; json is everything, "
                      "and can be read again; collapsed is for flame graphs, differential "
                      "ones with two logs.",
           .group = "Exporting",
           .choices = {"chrome", "perfetto", "csv", "json", "collapsed"},
           .common = true},
          {.name = "output",
           .short_name = 'o',
           .value = "FILE",
           .help = "export: write to this file instead of stdout",
           .group = "Exporting",
           .complete = Complete::file,
           .common = true},
          {.name = "suggest",
           .help = "rules: make a rules file from the log's own shape",
           .group = "Rules",
           .common = true},
          {.name = "show",
           .value = "NAME",
           .help = "rules: print built-in rules",
           .group = "Rules",
           .choices = {"timeline"},
           .common = true},
          {.name = "json",
           .help = "check, formats: print JSON instead of text",
           .group = "Reporting",
           .common = true}}};
  return kSpec;
}

}  // namespace assay::cli
