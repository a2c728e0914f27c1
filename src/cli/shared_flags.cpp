// SPDX-License-Identifier: Apache-2.0
#include "cli/shared_flags.hpp"

namespace assay::cli {
namespace {

std::vector<Flag> command_flags() {
  return {
      {.name = "shell",
       .help = "run each command by /bin/sh -c",
       .details =
           "Without it a command is split into words as a shell would and run directly, which "
           "is faster and measures the program alone. Pipes, redirections and $VARIABLES need "
           "--shell.",
       .group = "Running"},
      {.name = "input",
       .value = "FILE",
       .help = "file to give each run on stdin (else /dev/null)",
       .group = "Running",
       .complete = Complete::file},
      {.name = "setup",
       .value = "CMD",
       .help = "shell command run once before the first run",
       .details =
           "Once for every side, untimed. When it fails, nothing is measured. It may take as "
           "long as the time budget, and 60 s in any case; cleanup the same.",
       .group = "Running",
       .complete = Complete::command},
      {.name = "prepare",
       .value = "CMD",
       .help = "shell command before every run, untimed",
       .details = "For example to remove the last run's output or to drop a cache.",
       .group = "Running",
       .complete = Complete::command},
      {.name = "conclude",
       .value = "CMD",
       .help = "shell command behind every run, untimed",
       .group = "Running",
       .complete = Complete::command},
      {.name = "cleanup",
       .value = "CMD",
       .help = "shell command run once behind the last run",
       .group = "Running",
       .complete = Complete::command},
      {.name = "cooldown",
       .value = "TIME",
       .help = "pause before every run",
       .details = "When one run leaves something behind that the next one feels: a hot core, dirty "
                  "pages.",
       .group = "Running"},
  };
}

std::vector<Flag> condition_flags() {
  return {
      {.name = "timeout",
       .value = "TIME",
       .help = "kill a run and its children after this time",
       .details =
           "A run that times out ends the experiment: verdict FAILED. The same limit holds for "
           "each prepare and conclude command.",
       .group = "Running",
       .common = true},
      {.name = "ignore-exit",
       .help = "accept exit statuses other than 0",
       .details = "Never signals: a killed or crashed run always counts as failed.",
       .group = "Running"},
      {.name = "line-buffered",
       .help = "give the command a terminal as stdout",
       .details =
           "Programs then write line by line, so that less is lost when one is killed; it is "
           "also slower. The same for all sides.",
       .group = "Running"},
      {.name = "isolate",
       .help = "raise the priority and shield a core, where permitted",
       .details = "The same for all sides. On a busy machine the wall time steadies several-fold; "
                  "'assay doctor' says what this host permits.",
       .group = "Running",
       .common = true},
      {.name = "pin",
       .value = "CPUS",
       .help = "run on these CPUs only, such as 1 or 0,2-3",
       .group = "Running"},
      {.name = "exact",
       .help = "count instructions under callgrind instead of timing",
       .details = "Needs valgrind. Slow, but the same on every run, so two runs a side decide "
                  "differences of 0.1 %.",
       .group = "Running"},
      {.name = "no-wait",
       .help = "refuse instead of waiting for another experiment",
       .details = "Two experiments that time things on one machine would disturb each other; the "
                  "second one waits unless this is given.",
       .group = "Running"},
      {.name = "seed",
       .value = "N",
       .help = "seed of the random order (else drawn and stored)",
       .group = "Running"},
  };
}

}  // namespace

std::vector<Flag> run_flags() { return join_flags({command_flags(), condition_flags()}); }

Flag metric_flag() {
  return {.name = "metric",
          .value = "NAME=SOURCE",
          .help = "a metric read from the command's output",
          .details =
              "SOURCE is re:PATTERN with one group, json:/pointer, or assay for lines "
              "'ASSAY name=value unit'. A name that ends in _s, _ms, _us or _bytes fixes the "
              "unit; NAME[req/s,higher] gives unit and direction.",
          .group = "Deciding",
          .repeatable = true};
}

Flag tolerance_flag() {
  return {.name = "tolerance",
          .value = "PERCENT",
          .help = "differences below this do not matter",
          .details =
              "SLOWER and FASTER need an estimate of at least this size; EQUIVALENT means "
              "that the difference is inside it, with 95 % confidence.",
          .fallback = "2%",
          .group = "Deciding",
          .common = true};
}

Flag gate_flag() {
  return {.name = "gate",
          .value = "LIST",
          .help = "metrics that decide, with commas between (default wall,cpu)",
          .details =
              "A regression in one of them makes the exit status 1. The error bound is "
              "shared among them.",
          .group = "Deciding"};
}

Flag time_budget_flag(std::string_view fallback) {
  return {.name = "time-budget",
          .value = "TIME",
          .help = "stop when runs and builds have taken this long; 0 = no limit",
          .details = "A build that is not ready by then ends the experiment: verdict FAILED.",
          .fallback = fallback,
          .group = "Deciding",
          .common = true};
}

std::vector<Flag> report_file_flags() {
  return {{.name = "json",
           .value = "FILE",
           .help = "write the conclusion as JSON; - is stdout, without the text",
           .group = "Reporting",
           .complete = Complete::file,
           .common = true},
          {.name = "markdown",
           .value = "FILE",
           .help = "write a comment for a pull request; - is stdout, without the text",
           .group = "Reporting",
           .complete = Complete::file}};
}

Flag dry_run_flag() {
  return {.name = "dry-run",
          .help = "print what would be run, and its price, and stop",
          .group = "Reporting",
          .common = true};
}

Flag strict_flag() {
  return {.name = "strict",
          .help = "exit 4 when the verdict is UNDECIDED",
          .group = "Reporting",
          .common = true};
}

std::vector<Flag> events_flags() {
  return {
      {.name = "events",
       .value = "WHERE",
       .help = "events of each run: a FILE that it writes, stdout, stderr or emitter",
       .details =
           "Then the report also says which stage changed, with a verdict each, and where the "
           "difference of the whole sits. FILE must not be there before: every run writes it anew, "
           "and it is removed after each. 'emitter' is for programs that use assay/trace.hpp: each "
           "run gets a folder of its own in ASSAY_EVENTS.",
       .group = "Events"},
      {.name = "rules",
       .value = "FILE",
       .help = "what the events look like and how the stages hang together",
       .details = "'assay trace rules --suggest LOG' proposes such a file.",
       .group = "Events",
       .complete = Complete::file},
      {.name = "events-format",
       .value = "NAME",
       .help = "format of the events; otherwise recognised by content",
       .details = "'assay trace formats' lists them.",
       .group = "Events"},
      {.name = "html",
       .value = "FILE",
       .help = "write a page: timeline of both sides, waterfall, distributions; needs --events",
       .group = "Events",
       .complete = Complete::file},
      {.name = "log",
       .value = "DIR",
       .help = "keep the raw log of every run in this folder",
       .details = "A-001-03.log is the run of the baseline in slot 3 of block 1.",
       .group = "Events",
       .complete = Complete::directory},
  };
}

std::vector<Flag> join_flags(std::initializer_list<std::vector<Flag>> lists) {
  std::vector<Flag> all;
  for (const std::vector<Flag>& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

}  // namespace assay::cli
