#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""assay's investigations on the proving engine and on the beacon chain's suite, each with a known cause: truth beside answer.

usage: cases.py BIN_DIR [--keys FOLDER] [--only WORD,...] [--quick] [--seed N] [--json FILE] [--list] [--show]

BIN_DIR holds assay, prover and beacon-bench. Every case asks one question of them, by one command of assay or two, and its answer is
held against what is known: planted, or measured beside it by brute force. Prints one line a case as Markdown, with the runs that
assay made and its minutes (those of the brute force apart). Exits 1 when an answer is wrong; "no answer" (undecided) is said and is
not wrong. docs/cases/ tells each as a story.
--quick runs small ones with effects so large that every answer must be right, three times at most where there is none: the part that
ctest runs.
"""
import argparse
import os
import sys
import tempfile

import five_changes
import history
import inline_capacity
import memory_fix
import partition_workers
import pinning
import same
import shared_fixtures
from lab import NONE, Lab
from scoreboard import Scoreboard

TRIES = 3  # of a quick case that has no answer: a machine may be busy
CASES = [
    # name, in --quick, case
    ("memory fix: what saves memory", True, memory_fix.saves_memory),
    ("memory fix: what costs throughput", False, memory_fix.costs_throughput),
    ("five changes, two stages", False, five_changes.asleep),
    ("five changes of synthesis", True, five_changes.synthesis),
    ("inline capacity", False, inline_capacity.flat_or_not),
    ("pinning, predicted at 0.2 s", True, pinning.predicted),
    ("partition workers", True, partition_workers.front_and_knee),
    ("64 commits of settings", True, history.slow_setting),
    ("64 commits of sources", False, history.slow_function),
    ("shared fixtures: a cleared cache", False, shared_fixtures.cleared),
    ("shared fixtures: a small state first", False, shared_fixtures.small_first),
    ("shared fixtures: nothing planted", False, shared_fixtures.healthy),
    ("shared fixtures: made in the timing", False, shared_fixtures.rebuilt),
    ("shared fixtures: seven steps", False, shared_fixtures.story),
    ("A/A compare", True, same.compare),
    ("A/A sweep", False, same.sweep),
    ("A/A ablate", False, same.ablate),
    ("A/A bisect", False, same.bisect_flat),
    ("A/A timeline", False, same.timeline),
]


def solve(case, options, folder):
    """The outcome of a case, and the lab that found it."""
    tries = TRIES if options.quick else 1
    for _ in range(tries):
        with tempfile.TemporaryDirectory(dir=folder) as own:
            lab = Lab(options.tools, own, options.keys or os.path.join(folder, "keys"), options.seed, "quick" if options.quick else "full", options.show)
            outcome = case(lab)
        if outcome.verdict != NONE:
            break
    return outcome, lab


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tools", metavar="BIN_DIR")
    parser.add_argument("--keys", metavar="FOLDER", help="where proving keys are kept for the next time")
    parser.add_argument("--only", default="", help="cases whose names have one of these words")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--show", action="store_true", help="what assay prints, on stderr")
    options = parser.parse_args()
    words = [w for w in options.only.split(",") if w]
    # Those that are named run small, too, whether or not --quick has them by itself.
    chosen = [c for c in CASES if (any(w in c[0] for w in words) if words else c[1] or not options.quick)]
    if not chosen:
        sys.exit(f"cases.py: no case has one of these words in its name: {options.only} (--list shows all)")
    if options.list:
        print("\n".join(name for name, _, _ in chosen))
        return 0
    board = Scoreboard(["question", "truth", "answer", "", "runs", "min", "runs, min of the truth"])
    with tempfile.TemporaryDirectory() as folder:
        for name, _, case in chosen:
            outcome, lab = solve(case, options, folder)
            beside = f"{lab.truth_runs}, {lab.truth_seconds / 60:.1f}" if lab.truth_runs else "planted"
            board.add([name, outcome.truth, outcome.answer, outcome.verdict, lab.runs, f"{lab.seconds / 60:.1f}", beside],
                      {"case": name, "truth": outcome.truth, "answer": outcome.answer, "verdict": outcome.verdict, "runs": lab.runs,
                       "builds": lab.builds, "seconds": lab.seconds, "truth_runs": lab.truth_runs,
                       "truth_seconds": round(lab.truth_seconds, 1)})
    return board.end("cases", options.seed, options.json, demand_answers=options.quick)


if __name__ == "__main__":
    sys.exit(main())
