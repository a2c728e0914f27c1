# SPDX-License-Identifier: Apache-2.0
"""What a case has at hand: assay, the prover, and what both took; brute force for the truth; words for the table.

A case is a function of a Lab that returns an Outcome. Its truth is planted, or measured beside it by brute force (bench/rounds.py):
many runs of every setting in turns, with nothing of assay in it. The answer is assay's alone.
"""
import json
import os
import pathlib
import shlex
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import rounds  # noqa: E402
from scoreboard import NONE, RIGHT, WRONG  # noqa: E402,F401 (the cases take them from here)


class Outcome:
    def __init__(self, truth, answer, verdict):
        self.truth, self.answer, self.verdict = truth, answer, verdict


class Lab:
    """One case: its folder, its store, and what assay ran for it. `size` is quick or full."""

    def __init__(self, tools, folder, keys, seed, size, show=False):
        self.tools, self.folder, self.keys = os.path.abspath(tools), folder, os.path.abspath(keys)
        self.seed, self.size, self.show = seed, size, show
        self.runs = self.builds = self.truth_runs = 0
        self.seconds = self.truth_seconds = 0.0

    @property
    def quick(self):
        return self.size == "quick"

    def prover(self, words):
        """A command line of the prover, as a list of words, with its metrics as lines for assay."""
        keys = [] if "--work synthetic" in words else ["--key-cache", self.keys]
        return [f"{self.tools}/prover", "bench", *shlex.split(words), *keys, "--assay-metrics"]

    def assay(self, kind, *words, gate=None, budget=None, cwd=None, env=None):
        """The answer of one experiment ("compare", "suite audit", ...), as JSON; its runs and seconds are counted."""
        path = os.path.join(self.folder, "answer.json")
        if os.path.exists(path):
            os.remove(path)
        command = [f"{self.tools}/assay", *kind.split(), "--quiet", "--seed", str(self.seed), "--json", path]
        command += ["--gate", gate] if gate else []
        command += ["--time-budget", budget or ("20s" if self.quick else "8m"), *words]
        began = time.monotonic()
        done = self.call(command, cwd, env)
        self.seconds += time.monotonic() - began
        if self.show:
            print(f"\n$ {shlex.join(command)}\n{done.stdout}{done.stderr}", file=sys.stderr)
        if not os.path.exists(path):
            raise SystemExit(f"cases: {shlex.join(command)}\n{done.stdout}{done.stderr}")
        with open(path) as file:
            answer = json.load(file)
        self.count(answer["id"])
        return answer

    def say(self, *words):
        """What another command of assay prints (trade, case), which runs nothing."""
        began = time.monotonic()
        done = self.call([f"{self.tools}/assay", *words])
        self.seconds += time.monotonic() - began
        if done.returncode not in (0, 1, 4):
            raise SystemExit(f"cases: assay {shlex.join(words)}\n{done.stdout}{done.stderr}")
        if self.show:
            print(f"\n$ assay {shlex.join(words)}\n{done.stdout}{done.stderr}", file=sys.stderr)
        return done.stdout

    def call(self, command, cwd=None, env=None):
        variables = {**os.environ, **(env or {}), "ASSAY_STORE": os.path.join(self.folder, "lab.db")}
        return subprocess.run(command, cwd=cwd or self.folder, env=variables, stdin=subprocess.DEVNULL, capture_output=True, text=True)

    def count(self, record):
        for line in self.call([f"{self.tools}/assay", "export", record]).stdout.splitlines():
            kind = json.loads(line).get("type")
            self.runs += kind == "trial"
            self.builds += kind == "build"

    def brute(self, commands, count, seconds=120.0):
        """The truth beside it: results of every command, `count` rounds in turns or as many as fit `seconds`."""
        began = time.monotonic()
        results = rounds.rounds(commands, count, self.seed, until=began + seconds)
        self.truth_seconds += time.monotonic() - began
        self.truth_runs += sum(len(r) for r in results)
        return results


# --- words ---------------------------------------------------------------------------------------------------

def percent(ratio):
    change = 100 * (ratio - 1)
    return f"{change:+.0f} %" if abs(change) >= 9.95 else f"{change:+.1f} %"


def with_interval(ratio, lo, hi):
    return f"{percent(ratio)} [{percent(lo)[:-2]}, {percent(hi)[:-2]}]"


def mib(size):
    return f"{size / 2**20:.0f} MiB"


def seconds(value):
    if abs(value) >= 1:
        return f"{value:.3g} s"
    return f"{value * 1e3:.3g} ms" if abs(value) >= 1e-3 else f"{value * 1e6:.3g} us"


def apart(one, other):
    """Whether two intervals (lo, hi) have nothing in common."""
    return one[0] > other[1] or other[0] > one[1]
