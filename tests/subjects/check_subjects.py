#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What make_history.py and knobs plant is what is there: the truth files say what the commits and
the program do. `check_subjects.py KNOBS`"""
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
KNOBS = os.path.abspath(sys.argv.pop())


def run(*words, cwd=None, **options):
    return subprocess.run(words, cwd=cwd, capture_output=True, text=True, **options)


def make(folder, name, *words):
    out = os.path.join(folder, name)
    subprocess.run([sys.executable, os.path.join(HERE, "make_history.py"), *words, out], check=True)
    with open(out + ".truth.json") as file:
        return out, json.load(file)


def check(what, condition):
    if not condition:
        sys.exit(f"check_subjects: {what}")


def check_history(folder, scenario):
    words = ["--scenario", scenario, "--commits", "16", "--seed", "3"]
    out, truth = make(folder, scenario, *words)
    check(f"{scenario}: not the same twice", make(folder, "again", *words)[1] == truth)
    check(f"{scenario}: the ends",
          run("git", "rev-parse", "HEAD", cwd=out).stdout.strip() == truth["bad"])
    order = run("git", "rev-list", "--topo-order", "--reverse", "HEAD", cwd=out).stdout.split()
    check(f"{scenario}: commits", sorted(order) == sorted(c["id"] for c in truth["commits"]))
    units = {}
    for commit in truth["commits"]:
        header = run("git", "show", commit["id"] + ":parts.h", cwd=out).stdout
        parts = [int(v) for k, v in re.findall(r"#define (\w+) (\d+)", header) if k != "MEMORY_KIB"]
        check(f"{scenario}: units of {commit['subject']}", sum(parts) == commit["units"])
        units[commit["id"]] = (commit["units"], commit["memory_kib"])
    # Work and memory change at culprits and decoys, and at merges of what holds one, alone.
    planted = set(truth["culprits"]) | set(truth["decoy"])
    for commit in order[1:]:
        parents = run("git", "rev-parse", commit + "^@", cwd=out).stdout.split()
        changed = all(units[p] != units[commit] for p in parents)
        check(f"{scenario}: {commit} changed={changed}", changed == (commit in planted))
    states = {}
    for commit in truth["commits"]:
        states.setdefault(commit["state"], commit["id"])
    for state, commit in states.items():
        if state not in ("ok", "no-build", "crash"):
            continue
        run("git", "checkout", "-q", commit, cwd=out)
        built = run("sh", "build.sh", cwd=out).returncode == 0
        check(f"{scenario}: {state} builds={built}", built == (state != "no-build"))
        if built:
            fine = run("./bench", cwd=out).returncode == 0
            check(f"{scenario}: {state} runs={fine}", fine == (state == "ok"))


def check_knobs():
    model = "a=5 a&b=9 c|d=6 e&!a=-4 cap>=4=8 cap~2 mem:a=32 mem:cap~4 fail:x&!y hang:z"
    truth = json.loads(run(KNOBS, "--model", model, "--truth").stdout)
    shapes = [t["shape"] for t in truth["terms"]]
    check(f"shapes {shapes}", shapes == ["main", "and", "or", "and", "step", "trend", "main",
                                         "trend", "and", "main"])
    check("ratio", truth["terms"][1]["ratio"] == 1.09 and truth["terms"][6]["mib"] == 32)
    check("crash", run(KNOBS, "--model", model, "--work", "1", "--x").returncode < 0)
    check("no crash", run(KNOBS, "--model", model, "--work", "1", "--x", "--y").returncode == 0)
    check("off", run(KNOBS, "--model", model, "--work", "1", "--x=off").returncode == 0)
    by_env = {**os.environ, "KNOB_X": "on", "KNOBS_MODEL": model}
    check("by the environment", run(KNOBS, "--work", "1", env=by_env).returncode < 0)
    for wrong in ("a", "=5", "a&=5", "a=x", "a&b~3", "nonsense:a=3", "fail:a=3"):
        check(f"'{wrong}' is refused", run(KNOBS, "--model", wrong).returncode == 2)


def main():
    check_knobs()
    with tempfile.TemporaryDirectory() as folder:
        for scenario in ("step", "two-steps", "trend", "flat", "decoy", "merge", "broken", "hidden",
                         "crash", "hang", "submodule", "memory", "speedup"):
            check_history(folder, scenario)
        out, truth = make(folder, "shallow", "--language", "sh", "--commits", "40", "--shallow", "5")
        count = run("git", "rev-list", "--count", "HEAD", cwd=out + ".shallow").stdout.strip()
        check("a shallow clone", count == "5")
        fits = []
        out, truth = make(folder, "peaks", "--scenario", "memory", "--commits", "16")
        for commit in (truth["good"], truth["bad"]):
            run("git", "checkout", "-q", commit, cwd=out)
            run("sh", "build.sh", cwd=out)
            fits.append(run("sh", "-c", "ulimit -v 8000; ./bench", cwd=out).returncode == 0)
        check(f"memory: within 8 MB {fits}", fits == [True, False])
        out, truth = make(folder, "sh", "--language", "sh", "--commits", "16")
        check("sh runs", run("sh", "bench.sh", cwd=out).returncode == 0)


main()
