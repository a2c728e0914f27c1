#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a git repository of a small benchmark whose cost at every commit is planted.

    make_history.py --scenario step --commits 200 OUT

OUT is a repository; OUT.truth.json says what was planted. The benchmark is `./bench`, built by
`sh build.sh` (--language c, the default), or `sh bench.sh`, without a build (--language sh). Its
work is the sum of what its parts cost, each a line of its own, so that reverting one change never
conflicts with another. Same arguments, same commits.

Scenarios:
  step       one commit makes it slower
  two-steps  two commits do, at one and two thirds
  trend      many small ones, in every tenth commit
  flat       none
  decoy      one does and is reverted; another one stays
  merge      one on a side branch, which is then merged
  broken     one does; the commits around it (not itself) do not build
  hidden     one does, inside a stretch of commits that do not build
  crash      one does; some commits crash when they run
  hang       one does; some commits never end when they run, some never end building
  submodule  one does; from the middle on there is a submodule, which nothing needs
  memory     one takes 8 MiB more memory, and only the time to touch it
  speedup    one makes it faster

With --shallow N a clone of the last N commits is made beside it, at OUT.shallow.
"""
import argparse
import json
import os
import random
import shutil
import subprocess
import sys

PARTS = ["parse", "lookup", "encode", "hash", "commit", "prove", "fold", "verify"]
UNITS = 100  # of every part; a unit is 10,000 steps
EPOCH = 1_700_000_000

BENCH_C = r"""/* Work of known size: 10,000 steps of integer arithmetic a unit. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "parts.h"
#include "extra.h"

int main(void) {
  volatile uint64_t sink;
  uint64_t x = 88172645463325252u;
  const size_t bytes = (size_t)MEMORY_KIB << 10;
  char* volatile memory = malloc(bytes + 1);
  if (memory == NULL) return 1;
  memset((char*)memory, 1, bytes + 1);
#ifdef CRASHES
  abort();
#endif
#ifdef HANGS
  for (;;) pause();
#endif
  for (uint64_t i = 0; i < (uint64_t)(TOTAL) * 10000; ++i) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
  }
  sink = x;
  return sink == 0 || memory[bytes] != 1;
}
"""
BENCH_SH = r"""# Work of known size: 1,000 rounds of awk a unit.
cd "$(dirname "$0")" || exit 1
. ./parts.sh
. ./extra.sh
exec awk -v n="$TOTAL" 'BEGIN { for (i = 0; i < n * 1000; ++i) x = (x * 7 + i) % 1000003; exit x < 0 }'
"""
BUILD_SH = "set -e\n. ./before.sh\n${CC:-cc} -O1 ${CFLAGS:-} -o bench bench.c\n"

SUBJECTS = ["tidy the headers", "rename a variable", "words in the readme", "a test of the parser",
            "comments", "update the copyright", "simplify a condition", "log less", "fix a typo",
            "prepare the release", "move a helper", "drop an unused option"]
EXTRAS = {"c": {"ok": "/* nothing */\n", "no-build": "#error half done\n",
                "crash": "#define CRASHES\n", "hang": "#define HANGS\n", "build-hang": "/* nothing */\n"},
          "sh": {"ok": ": nothing\n", "no-build": "exit 1\n", "crash": "kill -SEGV $$\n",
                 "hang": "while :; do sleep 1; done\n", "build-hang": "while :; do sleep 1; done\n"}}


class History:
    """Commits for git fast-import, and what each of them costs."""

    def __init__(self, language):
        self.language = language
        self.stream, self.commits, self.mark = [], [], 0

    def files(self, state):
        """All files of a commit in this state."""
        parts, extra = state["parts"], EXTRAS[self.language][state["state"]]
        if self.language == "c":
            lines = [f"#define {p.upper()} {parts[p]}\n" for p in PARTS]
            lines.append(f"#define MEMORY_KIB {state['memory_kib']}\n")
            text = "\n\n\n".join(lines)  # far enough apart for changes not to touch
            text += "\n\n\n#define TOTAL (" + " + ".join(p.upper() for p in PARTS) + ")\n"
            before = "while :; do sleep 1; done\n" if state["state"] == "build-hang" else ": ready\n"
            files = {"parts.h": text, "extra.h": extra, "bench.c": BENCH_C, "build.sh": BUILD_SH,
                     "before.sh": before}
        else:
            lines = [f"{p.upper()}={parts[p]}\n" for p in PARTS]
            text = "\n\n\n".join(lines)
            text += "\n\n\nTOTAL=$((" + " + ".join(p.upper() for p in PARTS) + "))\n"
            files = {"parts.sh": text, "extra.sh": extra, "bench.sh": BENCH_SH}
        files["notes.txt"] = f"version {state['version']}\n"
        files[".gitignore"] = "bench\n"
        return files

    def add(self, subject, state, branch="main", parent=None, merge=None):
        """A commit; returns its mark."""
        self.mark += 1
        # What changes the cost or fails changes nothing else, so that reverting it never conflicts.
        now = (json.dumps(state["parts"]), state["memory_kib"], state["state"])
        if now == state.get("before"):
            state["version"] = self.mark
        state["before"] = now
        lines = [f"commit refs/heads/{branch}", f"mark :{self.mark}"]
        who = f"A <a@example.org> {EPOCH + 60 * self.mark} +0000"
        lines += [f"author {who}", f"committer {who}", f"data {len(subject.encode())}", subject]
        if parent is not None:
            lines.append(f"from :{parent}")
        if merge is not None:
            lines.append(f"merge :{merge}")
        lines.append("deleteall")
        for name, text in self.files(state).items():
            lines += [f"M 100644 inline {name}", f"data {len(text.encode())}", text]
        if state.get("submodule"):
            module = '[submodule "vendor"]\n\tpath = vendor\n\turl = ../vendor.git\n'
            lines += ["M 100644 inline .gitmodules", f"data {len(module)}", module]
            lines.append(f"M 160000 {'1' * 40} vendor")
        self.stream.append("\n".join(lines) + "\n")
        self.commits.append({"mark": self.mark, "subject": subject,
                             "units": sum(state["parts"].values()),
                             "memory_kib": state["memory_kib"], "state": state["state"]})
        return self.mark


def git(folder, *args, **options):
    env = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
    result = subprocess.run(["git", *args], cwd=folder, env=env, check=True, capture_output=True,
                            text=True, **options)
    return result.stdout


def percent_of(state, share):
    return max(1, round(sum(state["parts"].values()) * share))


def make(options):
    """The history and what is wrong with it: (History, truth)."""
    rng = random.Random(options.seed)
    history = History(options.language)
    n, kind, effect = options.commits, options.scenario, options.effect
    state = {"parts": {p: UNITS for p in PARTS}, "memory_kib": 256, "state": "ok", "version": 0}
    at = options.at if options.at is not None else rng.randrange(n // 3, max(n // 3 + 1, 2 * n // 3))
    if kind == "two-steps":
        at = n // 3
    second = 2 * n // 3
    at = min(max(at, 1), n - 1)
    near = {i for d in (1, 2) for i in (at - d, at + d)}
    few = set(rng.sample([i for i in range(1, n - 1) if i != at], min(n // 3, n - 3)))  # so many that every search meets some
    culprits, decoy, side, last = [], [], [], None

    def slow(part, share=effect):
        state["parts"][part] += percent_of(state, share)

    for i in range(n):
        subject = rng.choice(SUBJECTS)
        state["state"] = "ok"
        culprit = False
        if kind in ("step", "broken", "hidden", "crash", "hang", "submodule", "decoy") and i == at:
            slow("prove")
            subject, culprit = "prove: recompute instead of keeping a table", True
        if kind == "speedup" and i == at:
            for part in PARTS:
                state["parts"][part] = round(UNITS * (1 - effect))
            subject, culprit = "prove: keep a table", True
        if kind == "memory" and i == at:
            state["memory_kib"] *= 32
            subject, culprit = "prove: a larger table", True
        if kind == "two-steps" and i in (at, second):
            slow("prove" if i == at else "hash")
            subject, culprit = f"{'prove' if i == at else 'hash'}: check every round", True
        if kind == "trend" and i > 0 and i % max(1, n // 10) == 0:
            slow(PARTS[(i // max(1, n // 10)) % len(PARTS)], effect / 5)
            subject, culprit = "one more check", True
        if kind == "decoy" and i == max(1, at // 3):
            slow("fold")
            subject = "fold: try another order"
        if kind == "decoy" and i == max(2, at // 2):
            state["parts"]["fold"] = UNITS
            subject = 'Revert "fold: try another order"'
        if kind == "broken" and i in near and 0 < i < n - 1:
            state["state"] = "no-build"
        if kind == "hidden" and at - 2 <= i <= at and i > 0 and i < n - 1:
            state["state"] = "no-build"
        if kind == "crash" and i in few:
            state["state"] = "crash"
        if kind == "hang" and i in few:
            state["state"] = rng.choice(["hang", "build-hang" if options.language == "c" else "hang"])
        state["submodule"] = kind == "submodule" and i >= n // 2
        if kind == "merge" and i == at:
            # The branch forked three commits ago, has four of its own, and is merged here.
            fork = max(1, last - 2)
            branch_state = json.loads(json.dumps(state))
            tip = fork
            for j in range(4):
                if j == 2:
                    branch_state["parts"]["encode"] += percent_of(branch_state, effect)
                tip = history.add("encode: wider blocks" if j == 2 else "side: " + rng.choice(SUBJECTS),
                                  branch_state, "side", tip)
                side.append(tip)
                if j == 2:
                    culprits.append(tip)
            state["parts"]["encode"] = branch_state["parts"]["encode"]
            last = history.add("Merge branch 'side'", state, "main", last, tip)
            continue
        last = history.add(subject, state, "main", last)
        if culprit:
            culprits.append(last)
        if kind == "decoy" and "fold" in subject:
            decoy.append(last)
    return history, {"culprits": culprits, "decoy": decoy, "side": side}


def write(options):
    history, marks = make(options)
    out = os.path.abspath(options.out)
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    git(out, "init", "-q", "-b", "main")
    git(out, "fast-import", "--quiet", "--export-marks=.git/marks", input="".join(history.stream))
    git(out, "reset", "-q", "--hard", "main")
    with open(os.path.join(out, ".git/marks")) as file:
        ids = dict((int(line.split()[0][1:]), line.split()[1]) for line in file)
    os.remove(os.path.join(out, ".git/marks"))
    commits = []
    for commit in history.commits:
        mark = commit.pop("mark")
        commits.append({"id": ids[mark], **commit, "side": mark in marks["side"]})
    culprits = [ids[m] for m in marks["culprits"]]
    line = [c for c in commits if not c["side"]]
    # What no measurement can tell apart: the culprit, and commits that cannot be measured in front
    # of it (and, when it cannot be measured itself, up to the first that can).
    sets = []
    for culprit in culprits:
        row = commits if any(c["id"] == culprit and c["side"] for c in commits) else line
        i = next(k for k, c in enumerate(row) if c["id"] == culprit)
        low = i
        while low > 0 and row[low - 1]["state"] != "ok":
            low -= 1
        high = i
        while row[high]["state"] != "ok" and high + 1 < len(row):
            high += 1
        sets.append([c["id"] for c in row[low:high + 1]])
    truth = {"schema_version": 1, "subject": "history", "scenario": options.scenario,
             "seed": options.seed, "language": options.language,
             "good": commits[0]["id"], "bad": git(out, "rev-parse", "main").strip(),
             "ratio": line[-1]["units"] / line[0]["units"],
             "culprits": culprits, "sets": sets, "decoy": [ids[m] for m in marks["decoy"]],
             "commits": commits}
    with open(out + ".truth.json", "w") as file:
        json.dump(truth, file, indent=1)
        file.write("\n")
    if options.shallow:
        shallow = out + ".shallow"
        shutil.rmtree(shallow, ignore_errors=True)
        git(os.path.dirname(out), "-c", "protocol.file.allow=always", "clone", "-q", "--depth",
            str(options.shallow), "file://" + out, shallow)
    return truth


def main(words=None):
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", metavar="OUT")
    parser.add_argument("--scenario", default="step",
                        choices=["step", "two-steps", "trend", "flat", "decoy", "merge", "broken",
                                 "hidden", "crash", "hang", "submodule", "memory", "speedup"])
    parser.add_argument("--commits", type=int, default=32, help="of the main line")
    parser.add_argument("--effect", type=float, default=0.2, help="0.2 = 20 %% more work")
    parser.add_argument("--at", type=int, help="where: the number of a commit from 0")
    parser.add_argument("--language", choices=["c", "sh"], default="c")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--shallow", type=int, metavar="N", help="also a clone of the last N commits")
    options = parser.parse_args(words)
    if options.commits < 8:
        parser.error("--commits: at least 8")
    write(options)


if __name__ == "__main__":
    sys.exit(main())
