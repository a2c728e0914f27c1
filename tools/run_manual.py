#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the manual: every ```console block of a Markdown file, and compares what it shows with what happens.

    run_manual.py --bin FOLDER FILE.md ...     exit 1 on a miss, naming file and line

In a block `$ ` begins a command and `> ` continues it; the lines behind are what it prints, stdout and
stderr together, with the wildcards of expect.py. All commands of one file run in one bash, in a
fresh folder, so that what one block makes the next one can use; `$ echo $?` shows an exit status.
In a block that begins with ```console figures every number (with its unit) stands for any other, so that a page can
show what was measured. Commands in `<!-- hidden` ... `-->` run too and are not shown to readers. What is said about
figures depends on a real clock, and a busy machine can change it: a page that misses in blocks of figures and in
`<!-- hidden clock` alone is run again, TRIES times at most, and one run must agree.
ASSAY_MANUAL_PAGE is the page itself, for commands that take a file from it.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import expect  # noqa: E402
import golden  # noqa: E402

MARK = "@@assay-manual@@"
TIMEOUT_S = 900
TRIES = 3
BEGINS = ("```console", "```console figures", "<!-- hidden", "<!-- hidden clock")


class Step:
    def __init__(self, line, command, kind):
        self.line, self.command, self.expected = line, [command], []
        self.figures, self.by_clock = kind == "figures", kind in ("figures", "clock")

    def matches(self, got):
        if not self.figures:
            return expect.matches(self.expected, got)
        return expect.matches([expect.without_figures(line) for line in self.expected], [expect.without_figures(line) for line in got])


def read_steps(path):
    steps, inside = [], False
    for number, line in enumerate(path.read_text().split("\n"), 1):
        if not inside:
            inside = line.strip() in BEGINS
            kind = line.strip().split(" ")[-1]
            fresh = True
        elif line.strip() in ("```", "-->"):
            inside = False
        elif line.startswith("$ "):
            steps.append(Step(number, line[2:], kind))
            fresh = False
        elif fresh:
            raise SystemExit(f"{path}:{number}: a console block begins with '$ '")
        elif line.startswith("> ") and not steps[-1].expected:
            steps[-1].command.append(line[2:])
        else:
            steps[-1].expected.append(line)
    return steps


def script_of(steps):
    """All commands in one bash; a mark with the exit status behind each, which stays in $? too."""
    lines = ["exec 2>&1"]
    for step in steps:
        lines += step.command + [f"__status=$?; printf '\\n{MARK}%d\\n' $__status; (exit $__status)"]
    return "\n".join(lines) + "\n"


def outputs_of(text, count):
    parts = re.split(rf"\n{MARK}(\d+)\n", text)
    outputs = [part[:-1].split("\n") if part.endswith("\n") else part.split("\n") if part else []
               for part in parts[0::2]]
    return outputs[:count], len(parts) // 2


def run_once(path, steps, bin_folder):
    """The steps that miss, the first one where the shell ended; all misses are printed."""
    with tempfile.TemporaryDirectory(prefix="assay-manual-") as folder:
        folder = os.path.realpath(folder)
        env = golden.environment(folder, bin_folder, {"ASSAY_MANUAL_PAGE": str(path.resolve())})
        done = subprocess.run(["bash", "-c", script_of(steps)], cwd=folder, env=env, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, timeout=TIMEOUT_S, text=True, errors="backslashreplace")
        text = done.stdout.replace(folder, "%dir")
    outputs, finished = outputs_of(text, len(steps))
    missed = []
    for i, step in enumerate(steps):
        got = outputs[i] if i < len(outputs) else []
        if i < finished and step.matches(got):
            continue
        missed.append(step)
        what = expect.difference(step.expected, got) if i < finished else "the shell ended before it"
        print(f"{path}:{step.line}: $ {step.command[0]}\n{what}")
        if i >= finished:
            break
    print(f"{path}: {len(steps) - len(missed)} of {len(steps)} commands do what the manual says")
    return missed


def run(path, bin_folder):
    steps = read_steps(path)
    if not steps:
        print(f"{path}: nothing to run")
        return True
    for tried in range(1, TRIES + 1):
        missed = run_once(path, steps, bin_folder)
        if not missed:
            return True
        if tried == TRIES or not all(step.by_clock for step in missed):
            return False
        print(f"{path}: only figures of this machine missed; once more")
    return False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True, help="folder of the assay to run")
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    results = [run(path, golden.checked_bin(options.bin)) for path in options.files]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
