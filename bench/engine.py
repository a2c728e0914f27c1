#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every change of the system that the proving engine follows, switched on and off here: what it did there, and what it does here.

usage: engine.py BIN_DIR [--keys FOLDER] [--minutes M] [--only WORD,...] [--quick] [--json FILE]

BIN_DIR holds prover. The rows are bench/engine_rows.py. Every run is a fresh process; the settings of a row run next to each other, in an
order of chance, and all rows take turns, round by round, until the minutes are over. An effect is the median of the ratios within a
round, with its 95 % interval (order statistics): wall time of the batch as the prover says it, CPU of the whole process as wait4
says it, peak memory as the prover says it. "None" is printed, with the reason, where no effect reaches 1 % with an interval that leaves out 0.
Prints Markdown; --json has every figure. Reports, asserts nothing: the clock is a real one. --quick: tiny circuits, one round, what
ctest runs so that this cannot rot.
"""
import argparse
import json
import os
import random
import shlex
import statistics
import sys
import tempfile
import time

import rounds
from engine_rows import ROWS, SIZES, WORKS

SMALL = 0.01  # an effect that is named
# metric -> name in the table, and of a run: the value, from what rounds.run() says
METRICS = {
    "wall": ("wall", lambda run: run.get("makespan", run["wall"])),
    "cpu": ("CPU", lambda run: run["cpu"]),
    "peak": ("peak", lambda run: run["peak_memory"]),
    "synthesis": ("CPU of a partition's synthesis", lambda run: run["synth_cpu"]),
    "faults": ("page faults", lambda run: run["page_faults"]),
    "latency": ("mean time to a proof", lambda run: run.get("proof_latency", run["wall"])),
}


class Setting:
    """One setting of a row, and its results, a round each."""

    def __init__(self, label, words):
        self.label, self.words, self.results = label, words, []

    def values(self, metric):
        return [METRICS[metric][1](result) for result in self.results]


def settings_of(row, options, size, half):
    common = WORKS[row.work].format(**SIZES[size])
    if "synthetic" not in common:
        common += f" --key-cache {shlex.quote(options.keys)}"
    return [Setting(label, [f"{options.tools}/prover", "bench", *shlex.split(f"{common} {words.format(half=half)} --assay-metrics")])
            for label, words in row.settings]


def half_of_peak(options, size):
    """Half of what the widest setting of the budget's row takes without a budget, in bytes."""
    row = next(r for r in ROWS if r.change == "byte budget")
    peak = int(rounds.run(settings_of(row, options, size, 0)[0].words)["peak_memory"])
    return peak // 2 if size == "full" else 2 * peak  # a tiny circuit's peak is the program itself


def measure(rows, until, most, seed):
    """Rounds over all rows, at least one, until the time is over. Settings that fail are dropped, with what they said."""
    order = random.Random(seed)
    for done in range(most):
        for row in rows:
            for setting in order.sample(row.run, len(row.run)):
                if row.failed is not None or (done > 0 and time.monotonic() > until):
                    continue
                try:
                    result = rounds.run(setting.words)
                    setting.results.append(result)
                except rounds.Failed as failure:
                    row.failed = str(failure)
        if time.monotonic() > until:
            break
    for row in rows:  # whole rounds only
        whole = min((len(s.results) for s in row.run), default=0)
        for setting in row.run:
            del setting.results[whole:]


def percent(ratio):
    change = 100 * (ratio - 1)
    return f"{change:+.0f}" if abs(change) >= 10 else f"{change:+.1f}"


def effects_of(row):
    """[{"setting", "metric", "ratio", "lo", "hi", "from", "to"}], each setting against the first."""
    base, *others = row.run
    effects = []
    for other in others:
        for metric in row.metrics:
            before, after = base.values(metric), other.values(metric)
            ratio, lo, hi = rounds.median_interval([b / a if a > 0 else 1.0 for a, b in zip(before, after)])
            effects.append({"setting": other.label, "metric": metric, "ratio": ratio, "lo": lo, "hi": hi,
                            "from": statistics.median(before), "to": statistics.median(after)})
    return effects


def moves(effect):
    return abs(effect["ratio"] - 1) >= SMALL and (effect["lo"] > 1 or effect["hi"] < 1)


def cell(row):
    if row.work is None:
        return "see the tests of the engine"
    if row.failed is not None:
        return f"failed: {row.failed.splitlines()[-1]}"
    effects = effects_of(row)
    parts = []
    for label in dict.fromkeys(e["setting"] for e in effects):
        own = [f"{METRICS[e['metric']][0]} {percent(e['ratio'])} % [{percent(e['lo'])}, {percent(e['hi'])}]"
               for e in effects if e["setting"] == label]
        parts.append((f"{label}: " if len(row.run) > 2 else "") + ", ".join(own))
    text = "; ".join(parts)
    if row.why and not any(moves(e) for e in effects):
        text += f". None: {row.why[0].lower() + row.why[1:]}"
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tools", metavar="BIN_DIR")
    parser.add_argument("--keys", metavar="FOLDER", help="where proving keys are kept for the next time")
    parser.add_argument("--minutes", type=float, default=13.0)
    parser.add_argument("--only", default="", help="rows whose change or option has one of these words")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--rounds", type=int, default=25, help="at most")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args()
    options.tools = os.path.abspath(options.tools)
    size = "quick" if options.quick else "full"
    words = [w for w in options.only.split(",") if w]
    chosen = [r for r in ROWS if not words or any(w in r.change + r.option for w in words)]
    with tempfile.TemporaryDirectory() as folder:
        options.keys = os.path.abspath(options.keys or folder)
        os.makedirs(options.keys, exist_ok=True)
        began = time.monotonic()
        half = half_of_peak(options, size) if any("{half}" in w for r in chosen for _, w in r.settings) else 0
        for row in chosen:
            row.failed, row.run = None, settings_of(row, options, size, half) if row.work else []
        warm_up(chosen)
        measure(chosen, began + 60 * options.minutes, 1 if options.quick else options.rounds, options.seed)
    report(chosen, options, began)
    return 1 if options.quick and any(row.failed for row in chosen) else 0


def warm_up(rows):
    """One discarded run of each kind of work: it makes the keys."""
    for work in dict.fromkeys(row.work for row in rows if row.work):
        row = next(r for r in rows if r.work == work)
        try:
            rounds.run(row.run[0].words)
        except rounds.Failed as failure:
            row.failed = str(failure)


def report(rows, options, began):
    print("| change | effect there | our option | effect here, median [95 %] |\n|---|---|---|---|")
    for row in rows:
        print("| " + " | ".join(c.replace("|", "\\|") for c in (row.change, row.there, row.option, cell(row))) + " |")
    counts = [len(row.run[0].results) for row in rows if row.run]
    runs = sum(len(s.results) for row in rows for s in row.run)
    print(f"\n{min(counts, default=0)} to {max(counts, default=0)} rounds, {runs} runs, {(time.monotonic() - began) / 60:.1f} minutes"
          "; in brackets the range where there are fewer than 6 rounds")
    if options.json:
        document = [{"change": r.change, "there": r.there, "option": r.option, "failed": r.failed, "commands": {s.label: s.words[1:] for s in r.run},
                     "rounds": len(r.run[0].results) if r.run else 0, "effects": effects_of(r) if r.run and not r.failed else []} for r in rows]
        with open(options.json, "w") as file:
            json.dump({"schema_version": 1, "kind": "engine", "seed": options.seed, "rows": document}, file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    sys.exit(main())
