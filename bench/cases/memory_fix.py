# SPDX-License-Identifier: Apache-2.0
"""The memory fix as three interventions: which of them saves the memory, and which costs throughput?

The permit is kept through the send, the queue is longer, a/b/c are freed before finish. All three landed at once. Two workers
synthesise as fast as the device proves, with times that vary widely, so that a backlog is worth something: whoever bounds it pays. What
each intervention does is measured beside it by brute force: everything on, against everything on but that one.
"""
import itertools

from lab import NONE, RIGHT, WRONG, Outcome, with_interval
import rounds
import terms

INTERVENTIONS = {"permit": ("synthesis", "send"), "channel": ("1", "4"), "early": ("off", "on")}
# In `bursty` a backlog pays; in `steady` the device is the bottleneck by far, so that all that is allowed to pile up does.
SIZES = {
    "bursty": "-c 6 --partitions 10 --prove-workers 2 --synth-ms 10 --prove-ms 4 --finish-ms 6 --cv 1.5 --seed 1",
    "steady": "-c 3 --partitions 8 --prove-workers 1 --synth-ms 2 --prove-ms 8 --finish-ms 1 --cv 0",
}
COMMON = ("batch --work synthetic --partition-workers 2 --partition-mib 6 --witness-mib 1 --srs-mib 0 --synth-cpu 0 --prove-cpu 0 ")
OPTIONS = "--permit-scope {permit} --channel {channel} --early-free {early}"


def ablate(lab, gate, tolerance):
    words = [w for name, (off, on) in INTERVENTIONS.items() for w in ("--change", f"{name}=set:{name}={off},{on}")]
    metric = ["--metric", "peak_memory[B]=assay"] if gate == "peak_memory" else []
    return lab.assay("ablate", *words, *metric, "--tolerance", tolerance, "--", *command(lab, OPTIONS), gate=gate)


def command(lab, options):
    return lab.prover(f"{COMMON} {SIZES['steady' if lab.quick else 'bursty']} {options}")


def all_on(**but):
    """The option words with everything on, but for those in `but`."""
    chosen = {name: (on if but.get(name, True) else off) for name, (off, on) in INTERVENTIONS.items()}
    return OPTIONS.format(**chosen)


def reverting(lab, metric, count):
    """What taking one back does, by brute force: {name: (ratio, lo, hi)} of a metric."""
    fixed, *others = lab.brute([command(lab, all_on())] + [command(lab, all_on(**{name: False})) for name in INTERVENTIONS], count)
    return {name: rounds.ratio(fixed, other, metric, 0.99) for name, other in zip(INTERVENTIONS, others)}


def judge(answer, truth, tolerance):
    """Right when just the changes are named whose reverting does more than the tolerance, in the right direction."""
    moved = {name for name, (_, lo, hi) in truth.items() if lo > 1 + tolerance or hi < 1 - tolerance}
    still = {name for name, (_, lo, hi) in truth.items() if hi < 1 + tolerance and lo > 1 - tolerance}
    named = set(itertools.chain.from_iterable(t["changes"] for t in terms.named(answer).values()))
    for name in named & moved:
        alone = terms.named(answer).get(name)
        if alone and (alone["ratio"] > 1) == (truth[name][0] > 1):
            return WRONG  # what reverting gives back must go the other way
    if named & still:
        return WRONG
    return RIGHT if moved <= named else NONE


def saves_memory(lab):
    answer = ablate(lab, "peak_memory", "5%")
    truth = reverting(lab, "peak_memory", 7 if lab.quick else 40)
    return Outcome("; ".join(f"without {n} {with_interval(*t)}" for n, t in truth.items()), terms.said(answer), judge(answer, truth, 0.05))


def costs_throughput(lab):
    answer = ablate(lab, "wall", "3%")
    truth = reverting(lab, "makespan", 40)
    return Outcome("; ".join(f"without {n} {with_interval(*t)}" for n, t in truth.items()), terms.said(answer), judge(answer, truth, 0.03))
