// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include "cli/shared_flags.hpp"

namespace assay::cli {
namespace {

std::vector<Flag> new_flags() {
  return {
      {.name = "question",
       .value = "TEXT",
       .help = "new: what is to be explained",
       .group = "A new case"},
      {.name = "gap",
       .value = "RECORD|SIZE",
       .help = "new: the difference to be explained",
       .details = "A record of the store (its baseline is the better side, else --removes), or a "
                  "size: '12 ms', '3-4 GiB', '6 %'.",
       .group = "A new case",
       .complete = Complete::record,
       .common = true},
      {.name = "metric",
       .value = "NAME",
       .help = "new: the metric that times are read from",
       .details = "Without it the first metric of a record that decides.",
       .group = "A new case"}};
}

std::vector<Flag> hypothesis_flags() {
  return {{.name = "hypothesis",
           .value = "ID",
           .help = "add: a name for a new hypothesis",
           .group = "A hypothesis"},
          {.name = "mechanism",
           .value = "TEXT",
           .help = "add: how it would cause the difference",
           .group = "A hypothesis"},
          {.name = "predict",
           .value = "SIZE|SHAPE",
           .help = "add: the effect that it predicts",
           .details = "A size: '2-5 ms x 10 partitions', '3-4 GiB', '+3%..+5%', 'at least 1 GiB'; "
                      "one number leaves a factor of two either way. A shape: 'falls with cap', "
                      "'rises with cap', 'step at 4', 'flat'. + costs, - saves.",
           .group = "A hypothesis",
           .common = true},
          {.name = "test",
           .value = "CMD",
           .help = "add: the command line of assay that would decide it",
           .group = "A hypothesis",
           .complete = Complete::command,
           .common = true},
          {.name = "price",
           .value = "TEXT",
           .help = "add: what that test costs, in runs or minutes",
           .group = "A hypothesis"}};
}

std::vector<Flag> record_flags() {
  return {
      {.name = "record",
       .value = "ID",
       .help = "add: a record of the store",
       .details = "Without --for it is a fact of the case.",
       .group = "A record",
       .complete = Complete::record},
      {.name = "for",
       .value = "HYPOTHESIS",
       .help = "add: the hypothesis that the record tests",
       .group = "A record",
       .common = true},
      {.name = "removes",
       .help = "add, new: the record's candidate takes the cause away",
       .group = "A record",
       .common = true},
      {.name = "part",
       .value = "NAME",
       .help = "add, new: the part of the record that is meant",
       .details = "The changes of an ablation (pin+presize), the level of a sweep, the commit of "
                  "a timeline or bisection, the number of a candidate.",
       .group = "A record"},
      {.name = "note",
       .value = "TEXT",
       .help = "add: a remark beside the record",
       .group = "A record"},
      {.name = "round",
       .value = "TEXT",
       .help = "add: what was tried; with --record also what came of it",
       .details = "From the third round on the status shows all of them.",
       .group = "A record",
       .common = true}};
}

}  // namespace

const CommandSpec& case_spec() {
  static const CommandSpec kSpec = {
      .name = "case",
      .summary = "Keep what was believed beside what was measured",
      .usage = {"case new NAME --question TEXT [--gap RECORD|SIZE]",
                "case add NAME --hypothesis ID --mechanism TEXT --predict SIZE|SHAPE",
                "case add NAME [--record ID [--for HYPOTHESIS]] [--round TEXT]",
                "case status|report|list [NAME] [options]"},
      .details =
          "A case is a TOML file in the folder cases beside the store, made to be edited by hand. "
          "status holds every hypothesis' prediction against the interval that its record "
          "measured: "
          "RULED OUT, CONFIRMED or OPEN, with the price of deciding it, and what remains "
          "unexplained. add only puts tables behind the file; what stands there stays.",
      .positionals = {{.name = "VERB",
                       .help = "new, add, status, report or list",
                       .at_least = 1,
                       .at_most = 1,
                       .choices = {"new", "add", "status", "report", "list"}},
                      {.name = "NAME",
                       .help = "the case; status without it takes the only one",
                       .at_most = 1,
                       .complete = Complete::case_name}},
      .examples =
          {{"assay case new slow --question 'Why 12 ms longer since Monday?' --gap k3v9x2ab",
            "A question, and the record that measured it"},
           {"assay case add slow --hypothesis spill --mechanism 'partitions spill' --predict '2-5 "
            "ms x 10 partitions' --test \"assay compare './run --no-spill' './run'\"",
            "A belief that can be wrong"},
           {"assay case add slow --record ab12cd34 --for spill --round 'no spilling'",
            "What its test measured"},
           {"assay case status slow", "Where does it stand?"}},
      .flags = join_flags({new_flags(),
                           hypothesis_flags(),
                           record_flags(),
                           {{.name = "json",
                             .help = "status, list: print JSON instead of text",
                             .group = "Reporting",
                             .common = true},
                            {.name = "names",
                             .help = "list: print the names alone, one a line",
                             .group = "Reporting"},
                            {.name = "markdown",
                             .value = "FILE",
                             .help = "report: write Markdown (- for stdout)",
                             .group = "Reporting",
                             .complete = Complete::file},
                            {.name = "html",
                             .value = "FILE",
                             .help = "report: write a page",
                             .group = "Reporting",
                             .complete = Complete::file}}})};
  return kSpec;
}

}  // namespace assay::cli
