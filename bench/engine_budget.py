#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the proving engine does with less memory than it would like, and what the engine itself costs.

usage: engine_budget.py BIN_DIR [--keys FOLDER] [--constraints N] [--jobs N] [--partitions N] [--workers N] [--runs N]
                        [--only peak,leak,curve,verdict,loop] [--json FILE]

BIN_DIR holds prover and assay.
  peak   P, the peak memory of the unbounded engine
  leak   a queue of one place and permits that end with the synthesis (the historical fault), under RLIMIT_DATA of P / 2 and the
         threads' stacks: it must die of memory and say so; the mended engine lives under the same limit with a budget of P / 2
  curve  the mended engine with budgets of 0.4, 0.5, 0.6 and 0.8 P, a run each: all partitions proved, the peak within the budget
  verdict  `assay compare` about the throughput of the same, the unbounded one the baseline, at a tolerance of 5 %
  loop   the same partitions one after the other without the engine: CPU and wall time of the engine beside that
Exit status 1 when a count is wrong, a peak exceeds its budget by more than 5 %, or the leak does not die. What a clock says is printed
and decides nothing.
"""
import argparse
import functools
import json
import os
import resource
import subprocess
import sys
import tempfile

print = functools.partial(print, flush=True)  # whoever waits for minutes wants to see how far it is

FRACTIONS = (0.4, 0.5, 0.6, 0.8)
SLACK = 1.05  # of a budget: what the system needs beside what a program asks for
MIB = 1 << 20
STACKS = 8  # threads beside the partition workers, with some to spare
failures = []


def expect(condition, text):
    print(f"  {'ok ' if condition else 'NOT'} {text}")
    if not condition:
        failures.append(text)


class Engine:
    def __init__(self, options):
        self.options = options
        self.load = ["--work", "dense", "--constraints", str(options.constraints), "--key-cache", options.keys, "--partitions", str(options.partitions)]

    def words(self, command, *more):
        return [f"{self.options.tools}/prover", "bench", command, *self.load, "-c", str(self.options.jobs), *more]

    def batch(self, *more):
        return self.words("batch", "-j", str(self.options.jobs), "--partition-workers", str(self.options.workers), *more)

    def run(self, words, data_limit=None):
        """(exit status, report or None, stderr)"""
        def limit():
            if data_limit is not None:
                resource.setrlimit(resource.RLIMIT_DATA, (data_limit, data_limit))
        done = subprocess.run([*words, "--json", "-"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=limit)
        return done.returncode, json.loads(done.stdout) if done.stdout.startswith("{") else None, done.stderr


def mib(size):
    return f"{size / MIB:.0f} MiB"


def show(report):
    return (f"{report['counts']['partitions_in_proofs']} of {report['counts']['partitions_asked']} partitions, peak {mib(report['peak_memory']['bytes'])}, "
            f"{report['throughput'].get('partitions_per_s', 0):.3g} partitions/s, CPU {report['cpu']['process_s']:.1f} s")


def measure_peak(engine, result):
    engine.run(engine.words("loop", "-c", "1"))  # makes the key
    status, report, error = engine.run(engine.batch())
    if status != 0:
        raise SystemExit(f"engine_budget.py: the unbounded engine ended with {status}: {error}")
    result["peak"] = report["peak_memory"]["bytes"]
    print(f"unbounded, {engine.options.workers} partition workers: {show(report)}")
    expect(report["counts"]["complete"], "all partitions are in proofs")
    print(f"  P = {mib(result['peak'])}")


def measure_leak(engine, result):
    half = result["peak"] // 2
    limit = half + (engine.options.workers + STACKS) * MIB  # RLIMIT_DATA counts a MiB of stack a thread, used or not
    fault = ("--channel", "1", "--permit-scope", "synthesis")
    status, report, error = engine.run(engine.batch(*fault))
    if report:
        print(f"the fault, without a limit: {show(report)}")
    status, report, error = engine.run(engine.batch(*fault), data_limit=limit)
    print(f"the fault, RLIMIT_DATA {mib(limit)}: exit status {status}\n    " + "\n    ".join(error.strip().split("\n")))
    expect(status == 3 and "out of memory" in error, "the fault dies of memory at P / 2")
    expect("--permit-scope send" in error, "and says what would stop it")
    status, report, error = engine.run(engine.batch("--memory-budget", str(half)), data_limit=limit)
    print(f"mended, a budget of {mib(half)}, RLIMIT_DATA {mib(limit)}: " + (show(report) if report else error))
    expect(status == 0, "the mended engine lives with a budget of P / 2")
    result["leak"] = {"limit": limit, "mended_status": status}


def assay(engine, result, name, sides, metrics, more):
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/compare.json"
        command = [f"{engine.options.tools}/assay", "compare", "--store", f"{folder}/lab.db", "--name", name, "--tolerance", "5%", "--time-budget", "0",
                   "--max-runs", str(engine.options.runs), "--json", path, *more]
        for metric in metrics:
            command += ["--metric", f"{metric}=assay"]
        command += [" ".join([*side, "--assay-metrics"]) for side in sides]
        print("$ " + " ".join(f"'{word}'" if " " in word or "[" in word else word for word in command))
        status = subprocess.run(command).returncode
        print(f"  exit status {status}")
        if os.path.exists(path):
            with open(path) as file:
                result[name] = json.load(file)
    return status


def measure_curve(engine, result):
    budgets = [int(result["peak"] * fraction) for fraction in FRACTIONS]
    result["budgets"] = []
    print("| budget | peak | partitions/s | CPU |\n|---|---|---|---|")
    for fraction, budget in zip(FRACTIONS, budgets):
        status, report, error = engine.run(engine.batch("--memory-budget", str(budget)))
        if report is None:
            what = error.strip().split("\n")[0]
            print(f"| {fraction} P = {mib(budget)} | refused: {what} | | |")
            continue
        peak = report["peak_memory"]["bytes"]
        print(f"| {fraction} P = {mib(budget)} | {mib(peak)} | {report['throughput']['partitions_per_s']:.3g} | {report['cpu']['process_s']:.1f} s |")
        result["budgets"].append({"fraction": fraction, "budget": budget, "report": report})
    for one in result["budgets"]:
        peak = one["report"]["peak_memory"]["bytes"] / one["budget"]
        expect(one["report"]["counts"]["complete"], f"{one['fraction']} P: all partitions are in proofs")
        expect(peak <= SLACK, f"{one['fraction']} P: the peak is {peak:.3f} of the budget")


def measure_verdict(engine, result):
    budgets = [int(result["peak"] * fraction) for fraction in FRACTIONS]
    sides = [engine.batch(), *(engine.batch("--memory-budget", str(budget)) for budget in budgets)]
    assay(engine, result, "budgets", sides, ["throughput[partitions/s,higher]", "peak_memory[B]"], ["--gate", "throughput"])


def measure_loop(engine, result):
    """The engine with one thread of proving beside one of synthesis, and the loop that has one for both."""
    sides = [engine.words("loop"), engine.words("batch", "--partition-workers", "1")]
    assay(engine, result, "loop", sides, ["partition_cpu[s]", "makespan[s]"], ["--gate", "partition_cpu"])


PARTS = {"peak": measure_peak, "leak": measure_leak, "curve": measure_curve, "verdict": measure_verdict, "loop": measure_loop}


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].removeprefix("usage: "))
    parser.add_argument("tools", metavar="BIN_DIR")
    parser.add_argument("--keys", metavar="FOLDER")
    parser.add_argument("--constraints", type=int, default=(1 << 16) - 2)
    parser.add_argument("--jobs", type=int, default=15)
    parser.add_argument("--partitions", type=int, default=10)
    parser.add_argument("--workers", type=int, default=12)
    parser.add_argument("--runs", type=int, default=24, help="runs a side, at most")
    parser.add_argument("--only", default=",".join(PARTS))
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args()
    wanted = options.only.split(",")
    unknown = [word for word in wanted if word not in PARTS]
    if unknown:
        parser.error(f"--only: '{unknown[0]}' is none of {', '.join(PARTS)}")
    with tempfile.TemporaryDirectory() as folder:
        options.keys = os.path.abspath(options.keys or folder)
        engine, result = Engine(options), {"schema_version": 1, "kind": "engine-budget"}
        for name, part in PARTS.items():
            if name in wanted or (name == "peak" and {"leak", "curve", "verdict"} & set(wanted)):
                part(engine, result)
    if options.json:
        with open(options.json, "w") as file:
            json.dump(result, file, indent=1)
    if failures:
        print(f"{len(failures)} expectations failed")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
