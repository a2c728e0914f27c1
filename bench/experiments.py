#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The experiments over many arms on subjects with planted causes, on the real clock: truth beside answer.

usage: experiments.py BIN_DIR [--only WORD,...] [--quick] [--seed N] [--json FILE] [--list]

BIN_DIR holds assay and knobs. Every case makes its subject (tests/subjects), runs one command with --gate cpu,
and compares the answer with what was planted. Prints one line a case as Markdown: what was planted, what was
answered, whether that is right, the runs and builds it took, and the minutes. Exits 1 when an answer is wrong;
"no answer" (undecided, a set of several commits that has the right one) is said and is not wrong.
--quick runs the few cases with effects so large that every answer must be right: the part that ctest runs, where
no answer is an error too.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

from scoreboard import NONE, RIGHT, WRONG, Scoreboard

SUBJECTS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tests", "subjects")


class Lab:
    """One command on one subject, and what it took."""

    def __init__(self, tools, folder, seed, budget):
        self.tools, self.folder, self.seed, self.budget = tools, folder, seed, budget

    def run(self, kind, *words, cwd=None, env=None):
        path = os.path.join(self.folder, "answer.json")
        if os.path.exists(path):
            os.remove(path)
        variables = {**os.environ, **(env or {}), "ASSAY_STORE": os.path.join(self.folder, "lab.db")}
        command = [f"{self.tools}/assay", kind, "--quiet", "--gate", "cpu", "--seed", str(self.seed), "--time-budget",
                   self.budget, "--json", path, *words]
        began = time.monotonic()
        result = subprocess.run(command, cwd=cwd or self.folder, env=variables, capture_output=True, text=True)
        seconds = time.monotonic() - began
        if not os.path.exists(path):
            raise SystemExit(f"experiments: {' '.join(command)}\n{result.stdout}{result.stderr}")
        with open(path) as file:
            answer = json.load(file)
        runs = builds = 0
        listed = subprocess.run([f"{self.tools}/assay", "list", "--ids", "--limit", "1"], env=variables, cwd=self.folder,
                                capture_output=True, text=True).stdout.strip()
        exported = subprocess.run([f"{self.tools}/assay", "export", listed], env=variables, cwd=self.folder,
                                  capture_output=True, text=True).stdout
        for line in exported.splitlines():
            kind_of = json.loads(line).get("type")
            runs += kind_of == "trial"
            builds += kind_of == "build"
        return answer, runs, builds, seconds

    def history(self, scenario, *words):
        out = os.path.join(self.folder, scenario)
        subprocess.run([sys.executable, f"{SUBJECTS}/make_history.py", "--scenario", scenario, "--seed", str(self.seed),
                        *words, out], check=True)
        with open(out + ".truth.json") as file:
            return out, json.load(file)


def change(ratio):
    return f"{100 * (ratio - 1):+.0f} %"


def near(ratio, truth):
    """A ratio of CPU time beside one of work: start-up dilutes it, the clock blurs it."""
    return ratio is not None and abs(ratio - truth) <= max(0.04, 0.35 * abs(truth - 1))


# --- sweep ---------------------------------------------------------------------------------------------------

def sweep(model, levels, want, at=None, words=()):
    planted = {"FLAT": "flat", "TREND": "a trend", "STEP": f"a step at {at}"}[want]

    def case(lab):
        answer, *took = lab.run("sweep", "--param", f"cap={levels}", *words, "--", f"{lab.tools}/knobs", "--work", "1000",
                                "--model", model or "none=0", "--cap", "{cap}")
        shape, found = (answer["shape"] or "").upper(), answer["at"]
        said = shape + (f" at {found}" if found else "")
        if shape in ("", "UNDECIDED"):
            verdict = NONE
        else:
            verdict = RIGHT if shape == want and (want != "STEP" or found == at) else WRONG
        broken = [b["level"] for b in answer["broken"]]
        if broken:
            said += f"; {', '.join(broken)} fails"
        return planted, said, verdict, took, answer
    return case


def sweep_memory(lab):
    answer, *took = lab.run("sweep", "--param", "cap=1,2,4,8,16", "--memory-budget", "12MiB", "--", f"{lab.tools}/knobs", "--work",
                            "1000", "--model", "mem:cap~1", "--cap", "{cap}")
    memory = answer["memory"] or {}
    slope = (memory.get("slope_bytes") or 0) / 2**20
    fit = memory.get("largest_fit") or "none"
    said = f"{slope:.2f} MiB a unit, largest that fits: {fit}"
    return "1 MiB a unit, 8 fits 12 MiB", said, RIGHT if abs(slope - 1) < 0.1 and fit.endswith("8") else WRONG, took, answer


# --- ablate --------------------------------------------------------------------------------------------------

def judge_terms(answer, want):
    """`want`: {"a": 1.1, "b&c": 1.12, "d|e": 1.1}; empty = nothing differs."""
    planted = ", ".join(f"{k} {change(v)}" for k, v in want.items()) or "no difference"
    terms = {("|" if t["either"] else "&").join(sorted(t["changes"])): t["ratio"] for t in answer["terms"] if t["named"]}
    said = ", ".join(f"{k} {change(v)}" for k, v in sorted(terms.items()))
    if answer["reproduced"] not in ("yes", "better"):
        said = said or "does not reproduce"
    if answer["undecided"]:
        said += f" ({len(answer['undecided'])} undecided)"
    exact = set(terms) == set(want) and all(near(terms[k], v) for k, v in want.items())
    false = any(k not in want or not near(v, want[k]) for k, v in terms.items())
    verdict = RIGHT if exact else WRONG if false else NONE
    for rule in answer["failures"]:
        said += f"; {' and '.join(rule['on'])} without {' or '.join(rule['off'])} fails"
    return planted, said or "nothing named", verdict


def ablate(model, changes, want):
    def case(lab):
        flags = []
        for name in changes:
            flags += ["--change", f"{name}=--{name}"]
        answer, *took = lab.run("ablate", *flags, "--", f"{lab.tools}/knobs", "--work", "1000", "--model", model)
        return *judge_terms(answer, want), took, answer
    return case


def ablate_commits(lab):
    """Two commits that each cost something, taken back or not, and a variable that nobody reads."""
    out, truth = lab.history("two-steps", "--commits", "12", "--effect", "0.15")
    first, second = truth["culprits"]
    answer, *took = lab.run("ablate", "--change", f"first=commit:{first}", "--change", f"second=commit:{second}", "--change",
                            "noop=NOBODY_READS_THIS=on", "--build", "sh build.sh", "--", "./bench", cwd=out)
    units = {c["id"]: c["units"] for c in truth["commits"]}
    order = [c["id"] for c in truth["commits"]]
    want = {name: units[c] / units[order[order.index(c) - 1]] for name, c in (("first", first), ("second", second))}
    return *judge_terms(answer, want), took, answer


def ablate_built(lab):
    """Two definitions that cost together, and a patch."""
    out = os.path.join(lab.folder, "built")
    os.mkdir(out)
    shutil.copy(os.path.join(SUBJECTS, "knobs.c"), out)
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for words in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-q", "-m", "knobs"]):
        subprocess.run(git + words, cwd=out, check=True)
    path = os.path.join(out, "knobs.c")
    with open(path) as file:
        text = file.read()
    with open(path, "w") as file:
        file.write(text.replace("units = 500;", "units = 600;"))
    patch = os.path.join(lab.folder, "more.patch")
    with open(patch, "w") as file:
        subprocess.run(git + ["diff"], cwd=out, check=True, stdout=file)
    subprocess.run(git + ["checkout", "-q", "."], cwd=out, check=True)
    answer, *took = lab.run("ablate", "--change", "a=define:KNOB_A=1", "--change", "b=define:KNOB_B=1", "--change",
                            f"more=patch:{patch}", "--env", "KNOBS_MODEL=a&b=25", "--build",
                            "${CC:-cc} -O1 -D_GNU_SOURCE {defines} -o knobs knobs.c -lm", "--", "./knobs", cwd=out)
    return *judge_terms(answer, {"a&b": 1.25, "more": 1.2}), took, answer


# --- bisect and timeline -------------------------------------------------------------------------------------

def subject_of(truth, commit):
    return next((c["subject"] for c in truth["commits"] if c["id"] == commit), "?")


def judge_culprits(found, truth):
    """`found`: the sets of suspects that were answered, one a culprit. One commit = named."""
    sets = truth["sets"]
    hit = [next((i for i, s in enumerate(sets) if set(f) <= set(s) or set(s) <= set(f)), None) for f in found]
    if any(h is None for h in hit):
        return WRONG
    if len(set(hit)) < len(sets):
        return NONE
    exact = all(set(f) <= set(sets[h]) for f, h in zip(found, hit))
    return RIGHT if exact else NONE


def bisect(scenario, *words, commits=32, effect="0.2", expect=None):
    def case(lab):
        out, truth = lab.history(scenario, "--commits", str(commits), "--effect", effect)
        extra = ["--build-timeout", "2s"] if scenario == "hang" else []
        if expect:
            extra.append(f"--expect={expect}")
        answer, *took = lab.run("bisect", "--good", truth["good"], "--bad", "main", "--build", "sh build.sh", *extra, *words, "--",
                                "./bench", cwd=out)
        planted = ", ".join(f"'{subject_of(truth, c)}'" for c in truth["culprits"]) or "no difference"
        if any(len(s) > 1 for s in truth["sets"]):
            planted += f", one of {max(len(s) for s in truth['sets'])} that cannot be told apart"
        found = [c["set"] for c in answer.get("culprits") or []]
        if answer["reproduced"] not in (True, "yes", "better") or not found:
            said = "does not reproduce" if answer["reproduced"] in (False, "no") else "no answer"
            verdict = NONE if truth["culprits"] or said == "no answer" else RIGHT
        else:
            said = ", ".join(f"'{subject_of(truth, f[0])}'" if len(f) == 1 else f"one of {len(f)}" for f in found)
            verdict = judge_culprits(found, truth)
        return planted, said, verdict, took, answer
    return case


def timeline(scenario, commits=12, effect="0.2", memory=False):
    def case(lab):
        out, truth = lab.history(scenario, "--commits", str(commits), "--effect", effect)
        answer, *took = lab.run("timeline", f"{truth['good']}..main", "--build", "sh build.sh", "--", "./bench", cwd=out)
        order = [c["id"] for c in truth["commits"]]
        planted = [c for c in order if c in truth["culprits"] or c in truth["decoy"]]
        key = "memory_step" if memory else "step"
        found = [c["rev"] for c in answer["commits"] if c.get(key)]
        found = [next((o for o in order if o.startswith(f)), f) for f in found]
        said = ", ".join(f"'{subject_of(truth, f)}'" for f in found) or "no step"
        if set(found) == set(planted):
            verdict = RIGHT
        else:
            verdict = WRONG if set(found) - set(planted) else NONE
        return ", ".join(f"'{subject_of(truth, c)}'" for c in planted) or "no step", said, verdict, took, answer
    return case


CASES = [
    # name, in --quick, case
    ("sweep flat", True, sweep("", "1,2,4", "FLAT", words=["--tolerance", "5%"])),
    ("sweep step", True, sweep("cap>=4=25", "1,2,4,8", "STEP", "4")),
    ("sweep trend", False, sweep("cap~8", "1,2,4,8", "TREND")),
    ("sweep memory", False, sweep_memory),
    ("sweep level-fails", False, sweep("cap>=4=25 fail:cap>=16", "1,2,4,8,16", "STEP", "4")),
    ("ablate one", False, ablate("b=12", "abcde", {"b": 1.12})),
    ("ablate and", True, ablate("a&b=25", "abc", {"a&b": 1.25})),
    ("ablate additive", False, ablate("a=10 d=8", "abcde", {"a": 1.10, "d": 1.08})),
    ("ablate three", False, ablate("a=10 b&c=14 d=-8", "abcdef", {"a": 1.10, "b&c": 1.14, "d": 0.92})),
    ("ablate or", False, ablate("a|b=15", "abcd", {"a|b": 1.15})),
    ("ablate ten", False, ablate("c=10 d&g=12", "abcdefghij", {"c": 1.10, "d&g": 1.12})),
    ("ablate commits", False, ablate_commits),
    ("ablate built", False, ablate_built),
    ("ablate none", False, ablate("x=10", "abcd", {})),
    ("ablate breaks", False, ablate("b=15 fail:a&!c", "abc", {"b": 1.15})),
    ("bisect step", True, bisect("step", commits=16, effect="0.3")),
    ("bisect long", False, bisect("step", commits=200, effect="0.1")),
    ("bisect thousand", False, bisect("step", commits=1000, effect="0.1")),
    ("bisect small", False, bisect("step", commits=64, effect="0.04", expect="+4%")),
    ("bisect expect", False, bisect("step", commits=64, effect="0.1", expect="+10%")),
    ("bisect speedup", False, bisect("speedup", expect="-20%")),
    ("bisect two-steps", False, bisect("two-steps")),
    ("bisect decoy", False, bisect("decoy")),
    ("bisect merge", False, bisect("merge")),
    ("bisect broken", False, bisect("broken")),
    ("bisect hidden", False, bisect("hidden")),
    ("bisect crash", False, bisect("crash")),
    ("bisect hang", False, bisect("hang")),
    ("bisect submodule", False, bisect("submodule")),
    ("bisect flat", False, bisect("flat")),
    ("timeline step", True, timeline("step", commits=8, effect="0.3")),
    ("timeline decoy", False, timeline("decoy")),
    ("timeline memory", False, timeline("memory", memory=True)),
    ("timeline flat", False, timeline("flat")),
]


def has(tools, kind):
    return subprocess.run([f"{tools}/assay", kind, "-h"], capture_output=True).returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tools", metavar="BIN_DIR")
    parser.add_argument("--only", default="", help="cases whose names have one of these words")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--budget", default="10m", help="of one case")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--keep", metavar="FOLDER", help="subjects and answers stay there")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    tools = os.path.abspath(options.tools)
    words = [w for w in options.only.split(",") if w]
    cases = [c for c in CASES if (not options.quick or c[1]) and (not words or any(w in c[0] for w in words))]
    if options.list:
        print("\n".join(name for name, _, _ in cases))
        return 0
    board = Scoreboard(["case", "planted", "answered", "", "runs", "builds", "min"])
    for name, _, case in cases:
        if not has(tools, name.split()[0]):
            raise SystemExit(f"experiments: this assay has no command '{name.split()[0]}'")
        folder = options.keep and os.path.join(os.path.abspath(options.keep), name.replace(" ", "-"))
        if folder:
            shutil.rmtree(folder, ignore_errors=True)
            os.makedirs(folder)
        with tempfile.TemporaryDirectory() as temporary:
            planted, said, verdict, (runs, builds, seconds), answer = case(
                Lab(tools, folder or temporary, options.seed, "20s" if options.quick else options.budget))
        board.add([name, planted, said, verdict, runs, builds, f"{seconds / 60:.2f}"],
                  {"case": name, "planted": planted, "answered": said, "verdict": verdict, "runs": runs, "builds": builds,
                   "seconds": seconds, "sentence": answer.get("sentence")})
    return board.end("experiments", options.seed, options.json, demand_answers=options.quick)


if __name__ == "__main__":
    sys.exit(main())
