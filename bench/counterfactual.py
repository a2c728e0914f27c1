#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Attribution by replay against the true counterfactual, on real runs of systems/prover.

usage: counterfactual.py BIN_DIR [--runs N]

Each case changes one or two factors of the engine between A and B. The truth about a factor is measured: all
combinations of the changed factors are run, N times each in alternating order, and the Shapley values of the median
makespans are the truth that `assay explain A... -- B...`, which sees the runs of A and of B alone, is held against. Prints
makespans, the replay's error on either side, and for every factor truth beside attribution. The engine's work is synthetic and
mostly sleeps, so that it can be studied on two cores. Reports, asserts nothing: the clock is a real one.
"""
import argparse, itertools, json, math, os, statistics, subprocess, sys, tempfile

BASE = {"synth": "+0%", "prove": "+0%", "workers": 4, "channel": 3, "scope": "send", "synth_ms": 80, "prove_ms": 25}
# name -> (what A has besides, what B changes: factor as explain names it -> options)
CASES = {
    "synth +20 % (it has slack)": ({}, {"synth.service": {"synth": "+20%"}}),
    "prove +10 % (the bottleneck)": ({}, {"prove.start.service": {"prove": "+10%"}}),
    "3 workers; synth +10 %, prove +30 % (the bottleneck moves)":
        ({"workers": 3}, {"synth.service": {"synth": "+10%"}, "prove.start.service": {"prove": "+30%"}}),
    "one synthesis worker less": ({}, {"workers of synth": {"workers": 3}}),
    "capacity 3 -> 1": ({}, {"capacity of prove": {"channel": 1}}),
    "permit released before its send": ({}, {"permit scope of synth": {"scope": "synthesis"}}),
    "one worker less and prove +10 %": ({}, {"workers of synth": {"workers": 3}, "prove.start.service": {"prove": "+10%"}}),
}


def run(tools, setting, folder):
    inject = ",".join(f"{stage}={setting[stage]}" for stage in ("synth", "prove") if setting[stage] != "+0%")
    command = [f"{tools}/prover", "bench", "batch", "--work", "synthetic", "-c", "4", "--partitions", "10", "--cv", "0.2", "--synth-cpu", "0.05", "--prove-cpu", "0.05",
               "--partition-mib", "1", "--witness-mib", "0", "--srs-mib", "1", "--synth-ms", str(setting["synth_ms"]), "--prove-ms", str(setting["prove_ms"]),
               "--finish-ms", "2", "--partition-workers", str(setting["workers"]), "--channel", str(setting["channel"]), "--permit-scope", setting["scope"]]
    if inject:
        command += ["--inject", inject]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=dict(os.environ, ASSAY_EVENTS=folder))


def explain(tools, logs_a, logs_b):
    command = [f"{tools}/assay", "explain", "--json", *logs_a, "--", *logs_b]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout)


def makespan(tools, log):
    command = [f"{tools}/assay", "explain", "--json", log]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout)["runs"][0]["makespan_s"]


def shapley(values, factors):
    """Share of each factor; `values` maps the set of changed factors to a makespan."""
    k, share = len(factors), {}
    for factor in factors:
        others = [f for f in factors if f != factor]
        share[factor] = sum(
            math.factorial(len(s)) * math.factorial(k - 1 - len(s)) / math.factorial(k) * (values[frozenset(s) | {factor}] - values[frozenset(s)])
            for n in range(k) for s in map(frozenset, itertools.combinations(others, n)))
    return share


def study(tools, name, base, changes, runs, root):
    factors = list(changes)
    subsets = [frozenset(s) for n in range(len(factors) + 1) for s in itertools.combinations(factors, n)]
    logs = {s: [] for s in subsets}
    for rep in range(runs):
        for i, subset in enumerate(subsets):
            setting = dict(BASE, **base)
            for factor in subset:
                setting.update(changes[factor])
            folder = os.path.join(root, f"{i}-{rep}")
            os.mkdir(folder)
            run(tools, setting, folder)
            logs[subset].append(folder)
    values = {s: statistics.median(makespan(tools, log) for log in folders) for s, folders in logs.items()}
    truth = shapley(values, factors)
    a, b = frozenset(), frozenset(factors)
    found = explain(tools, logs[a], logs[b])
    print(f"\n{name}\n  makespan {values[a]:.3f} s -> {values[b]:.3f} s ({values[b] - values[a]:+.3f} s)")
    errors = found["model_error_s"]
    if found["refused"]:
        print(f"  refused: {found['refused']}")
        return
    print(f"  model error {errors[0]:+.3f} s, {errors[1]:+.3f} s")
    parts = {part["factor"]: part for part in found["parts"]}
    for factor in sorted(set(parts) | set(truth), key=lambda f: -abs(truth.get(f, 0))):
        part = parts.get(factor)
        interval = f" [{part['lo']:+.3f}, {part['hi']:+.3f}]" if part and part["lo"] is not None else ""
        print(f"  {factor:<28} truth {truth.get(factor, 0):+.3f} s   attributed " + (f"{part['seconds']:+.3f} s{interval}" if part else "-"))
    print(f"  {'remainder':<28} {'':<16} {found['remainder_s']:+.3f} s")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tools")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", help="cases whose name contains this")
    args = parser.parse_args()
    tools = os.path.abspath(args.tools)
    print(f"4 jobs x 10 partitions, {args.runs} runs of every combination; seconds, medians")
    for name, (base, changes) in CASES.items():
        if args.only and args.only not in name:
            continue
        with tempfile.TemporaryDirectory() as root:
            study(tools, name, base, changes, args.runs, root)


main()
