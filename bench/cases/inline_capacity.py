# SPDX-License-Identifier: Apache-2.0
"""Does the inline capacity of linear combinations matter? 0, 1, 2 and 4 terms inside, in the synthesis of a real circuit.

What is true is not assumed: many runs of every level in turns, without assay, say what each costs against 0. Where valgrind is there, its
count of a partition's instructions stands beside that: it is the same on every run, and says what the machine cannot blur.
"""
import re
import shutil
import subprocess

from lab import NONE, RIGHT, WRONG, Outcome, apart, percent, with_interval
import rounds

LEVELS = ("0", "1", "2", "4")
TOLERANCE = 0.03


def command(lab, inline):
    size = "--work poseidon --depth 8 --partitions 16" if lab.quick else "--work porep --depth 4 --partitions 4"
    return lab.prover(f"synth-only {size} --compiled off --lc-inline {inline}")


def instructions(lab, inline):
    """Of one partition: two runs of different length, so that start-up does not count. None without valgrind."""
    if shutil.which("valgrind") is None:
        return None
    counts, few, many = [], 2, 6
    for partitions in (few, many):
        words = re.sub(r"--partitions \d+", f"--partitions {partitions}", " ".join(command(lab, inline))).split()
        done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *words], capture_output=True, text=True)
        found = re.search(r"Collected : (\d+)", done.stderr)
        if done.returncode != 0 or found is None:
            return None
        counts.append(int(found.group(1)))
    return (counts[1] - counts[0]) / (many - few)


def judge(shape, levels, truth):
    """`levels`, `truth`: (ratio, lo, hi) of each level but the first, against it."""
    flat = all(lo > 1 - TOLERANCE and hi < 1 + TOLERANCE for _, lo, hi in truth)
    beyond = any(lo > 1 + TOLERANCE or hi < 1 - TOLERANCE for _, lo, hi in truth)
    if any(apart(level[1:], true[1:]) for level, true in zip(levels, truth)):
        return WRONG
    if shape in ("", "UNDECIDED"):
        return NONE
    return WRONG if (shape == "FLAT" and beyond) or (shape != "FLAT" and flat) else RIGHT


def flat_or_not(lab):
    answer = lab.assay("sweep", "--param", "inline=" + ",".join(LEVELS), "--tolerance", f"{TOLERANCE:.0%}", "--metric", "synth_cpu[s]=assay",
                       *(["--rounds", "12"] if lab.quick else []), "--", *command(lab, "{inline}"), gate="synth_cpu")
    base, *others = lab.brute([command(lab, inline) for inline in LEVELS], 12 if lab.quick else 40)
    truth = [rounds.ratio(base, other, "synth_cpu", 0.99) for other in others]
    shape = (answer["shape"] or "").upper()
    levels = [(level["ratio"], level["lo"], level["hi"]) for level in answer["levels"][1:]]
    said = shape + (f" at {answer['at']}" if answer["at"] else "") + ": " + ", ".join(
        f"{name} {with_interval(*level)}" for name, level in zip(LEVELS[1:], levels))
    true = "against 0: " + ", ".join(f"{name} {with_interval(*t)}" for name, t in zip(LEVELS[1:], truth))
    counts = [instructions(lab, inline) for inline in LEVELS]
    if all(counts):
        true += "; instructions " + ", ".join(percent(count / counts[0]) for count in counts[1:])
    return Outcome(true, said, judge(shape, levels, truth))
