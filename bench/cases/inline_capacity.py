# SPDX-License-Identifier: Apache-2.0
"""Does the inline capacity of linear combinations matter? 0, 1, 2 and 4 terms inside, in the synthesis of a real circuit.

What is true is not assumed: many runs of every level in turns, without assay, say what each costs against 0.
"""
from lab import NONE, RIGHT, WRONG, Outcome, apart, with_interval
import rounds

LEVELS = ("0", "1", "2", "4")
TOLERANCE = 0.03


def command(lab, inline):
    size = "--work poseidon --depth 8 --partitions 16" if lab.quick else "--work porep --depth 4 --partitions 4"
    return lab.prover(f"synth-only {size} --compiled off --lc-inline {inline}")


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
    return Outcome("against 0: " + ", ".join(f"{name} {with_interval(*t)}" for name, t in zip(LEVELS[1:], truth)), said, judge(shape, levels, truth))
