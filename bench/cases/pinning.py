# SPDX-License-Identifier: Apache-2.0
"""Pinning was predicted to cost 0.2 s. Does it?

A batch got slower when three changes landed: the pages of vectors are locked, the compiled circuit is off, combinations are not recycled.
One hypothesis says that the locking is the cause, at 0.2 s. `assay case` holds the prediction against what it costs. What is true is
measured beside it: many runs of both in turns.
"""
import json

from lab import NONE, RIGHT, WRONG, Outcome, seconds
import rounds

PREDICTED = (0.1, 0.4)  # how "0.2 s" is read: a factor of two either way


def commands(lab):
    size = "--work poseidon --depth 8 --partitions 10" if lab.quick else "--work porep --depth 4 --partitions 10"
    base = f"synth-only {size}"
    return {name: lab.prover(f"{base} {words}") for name, words in
            (("before", ""), ("pinned", "--pin on"), ("after", "--pin on --compiled off --lc-pool off"))}


def predicted(lab):
    run = {name: " ".join(words) for name, words in commands(lab).items()}
    gap = lab.assay("compare", run["before"], run["after"], gate="cpu")
    lab.say("case", "new", "pinning", "--question", "Why does synthesis take longer?", "--gap", gap["id"], "--metric", "cpu")
    lab.say("case", "add", "pinning", "--hypothesis", "pin", "--mechanism", "mlock of every vector", "--predict", "0.2 s")
    pin = lab.assay("compare", run["before"], run["pinned"], gate="cpu")
    lab.say("case", "add", "pinning", "--record", pin["id"], "--for", "pin")
    status = json.loads(lab.say("case", "status", "pinning", "--json"))["hypotheses"][0]
    before, pinned = lab.brute(list(commands(lab).values())[:2], 12 if lab.quick else 60)
    true, lo, hi = rounds.median_interval([b - a for a, b in zip(rounds.values(before, "cpu"), rounds.values(pinned, "cpu"))], 0.99)
    expected = "RULED OUT" if hi < PREDICTED[0] else "CONFIRMED" if PREDICTED[0] < lo and hi < PREDICTED[1] else "OPEN"
    word = status["word"].upper()
    measured = status["measured"]
    said = f"{word}: {seconds(measured['value'])} [{seconds(measured['lo'])}, {seconds(measured['hi'])}]"
    verdict = RIGHT if word == expected else NONE if word == "OPEN" else WRONG
    return Outcome(f"{seconds(true)} [{seconds(lo)}, {seconds(hi)}], predicted 0.2 s", said, verdict)
