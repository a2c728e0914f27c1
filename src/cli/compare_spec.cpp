// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include "cli/shared_flags.hpp"

namespace assay::cli {
namespace {

std::vector<Flag> side_flags() {
  return {
      {.name = "name",
       .value = "TEXT",
       .help = "name of the comparison or, given once a command, of the sides",
       .details = "Once: the name of the whole. As often as there are commands: the names of the "
                  "sides, in order.",
       .group = "Sides",
       .repeatable = true},
      {.name = "env-a",
       .value = "NAME=VALUE",
       .help = "environment variable of the baseline",
       .group = "Sides",
       .repeatable = true},
      {.name = "env-b",
       .value = "NAME=VALUE",
       .help = "environment variable of the candidates",
       .group = "Sides",
       .repeatable = true},
      {.name = "cwd-a",
       .value = "DIR",
       .help = "folder to run the baseline in",
       .group = "Sides",
       .complete = Complete::directory},
      {.name = "cwd-b",
       .value = "DIR",
       .help = "folder to run the candidates in",
       .group = "Sides",
       .complete = Complete::directory},
      {.name = "baseline-rev",
       .value = "REV",
       .help = "git revision to take as the baseline",
       .details =
           "With --candidate-rev, and the command behind --. Each revision is built once, in "
           "a worktree of a mirror inside the store; your checkout is not touched.",
       .group = "Sides"},
      {.name = "candidate-rev",
       .value = "REV",
       .help = "git revision to take as the candidate",
       .group = "Sides",
       .repeatable = true},
      {.name = "build",
       .value = "CMD",
       .help = "shell command that builds a revision",
       .group = "Sides",
       .complete = Complete::command},
  };
}

std::vector<Flag> deciding_flags() {
  return {
      tolerance_flag(),
      time_budget_flag("10m"),
      {.name = "max-runs",
       .value = "N",
       .help = "at most this many runs a side, up to 900",
       .fallback = "198",
       .group = "Deciding"},
      metric_flag(),
      gate_flag(),
      {.name = "tails",
       .help = "demand 96 runs a side before EQUIVALENT",
       .details =
           "The verdict speaks of the typical run; this gives rare slow runs a chance to show.",
       .group = "Deciding"},
      {.name = "sessions",
       .value = "K",
       .help = "K long sessions a side, one value each",
       .details = "For commands that take minutes and summarise many jobs themselves.",
       .group = "Deciding"},
      {.name = "imported",
       .help = "A and B are result files or imported records: judge them, run nothing",
       .details =
           "Each side is a file of another benchmark tool, criterion's folder, or a record "
           "that assay import made; FILE@COMMIT takes one build of a file with many. What "
           "cannot be judged (one process a side, one number) is UNDECIDED, with the command "
           "that would decide.",
       .group = "Deciding"},
      {.name = "control",
       .help = "also run a copy of the baseline as a control",
       .details = "When the copy is found to differ from the baseline, the set-up is broken: all "
                  "verdicts are withheld and the exit status is 3.",
       .group = "Deciding"},
  };
}

}  // namespace

const CommandSpec& compare_spec() {
  static const CommandSpec kSpec = {
      .name = "compare",
      .summary = "Compare a baseline with one or more candidates",
      .usage = {"compare [options] A B [C ...]",
                "compare [options] --baseline-rev R --candidate-rev R [--build CMD] -- CMD",
                "compare [options] NAME"},
      .details =
          "A, B and C are whole commands, each quoted as one word; A is the baseline. Runs of both "
          "sides are mixed in a random order and judged after every twelve, until the answer is "
          "known: SLOWER, FASTER, EQUIVALENT or UNDECIDED. When the sides are the same, SLOWER or "
          "FASTER is said at most once in a hundred comparisons, however noisy the machine is. "
          "NAME "
          "is a comparison described in assay.toml.",
      .positionals = {{.name = "A B ...",
                       .help = "commands, one word each, the baseline first; or a NAME",
                       .at_most = Positional::kAny,
                       .complete = Complete::command}},
      .takes_trailing = true,
      .examples =
          {{"assay compare 'zstd -3 -kfo /dev/null big.tar' 'zstd -4 -kfo /dev/null big.tar'",
            "Two settings of one program"},
           {"assay compare --baseline-rev main --candidate-rev HEAD --build 'make -j4' -- ./bench",
            "What this branch does to a benchmark"},
           {"assay compare --tolerance 5% --strict --markdown comment.md ./old ./new",
            "A gate in CI, with a comment for the pull request"},
           {"assay compare --metric 'p99_ms=re:p99=([0-9.]+)' --gate p99_ms './srv a' './srv b'",
            "A latency that the program prints decides"},
           {"assay compare --imported old.json new.json",
            "Result files of another benchmark tool"}},
      .flags = join_flags({side_flags(),
                           deciding_flags(),
                           events_flags(),
                           run_flags(),
                           report_file_flags(),
                           {strict_flag(), dry_run_flag()}})};
  return kSpec;
}

}  // namespace assay::cli
