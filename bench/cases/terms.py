# SPDX-License-Identifier: Apache-2.0
"""What an ablation answered, and how it is held against the truth."""
import itertools
import math

from lab import NONE, RIGHT, WRONG, percent


def named(answer):
    """{"a", "a&b" or "a|b": term} of what was named."""
    return {("|" if t["either"] else "&").join(sorted(t["changes"])): t for t in answer["terms"] if t["named"]}


def said(answer):
    words = ", ".join(f"{name} {percent(t['ratio'])}" for name, t in sorted(named(answer).items()))
    if answer["reproduced"] not in ("yes", "better"):
        return "does not reproduce" + (f" ({words})" if words else "")
    return words or "nothing named"


def judge_planted(answer, truth, slack=0.12):
    """Exactly the causes of `truth` {"a": 1.2, "b&c": 1.5}, each within a third of its size or `slack`."""
    terms = named(answer)
    near = {name: abs(t["ratio"] - truth[name]) <= max(slack, abs(truth[name] - 1) / 3) for name, t in terms.items() if name in truth}
    if set(terms) == set(truth) and all(near.values()):
        return RIGHT
    return WRONG if set(terms) - set(truth) or not all(near.values()) else NONE


def configurations(names):
    """Every set of changes that may be on."""
    return [frozenset(chosen) for size in range(len(names) + 1) for chosen in itertools.combinations(names, size)]


def predicted(answer, on):
    """What the named terms say that a configuration costs, against nothing on."""
    factors = [t["ratio"] for t in named(answer).values() if (any if t["either"] else all)(c in on for c in t["changes"])]
    return math.prod(factors)


def farthest(answer, measured):
    """The configuration that the named terms predict worst, and predicted / measured. `measured`: {set of what is on: ratio to nothing on}."""
    errors = {on: predicted(answer, on) / ratio for on, ratio in measured.items()}
    worst = max(errors, key=lambda on: abs(math.log(errors[on])))
    return worst, errors[worst]


def judge_measured(answer, measured, near, far):
    """Right when every configuration is predicted within `near`; wrong when one is off by more than `far`."""
    _, error = farthest(answer, measured)
    error = abs(error - 1)
    if error <= near:
        return RIGHT
    return WRONG if named(answer) and error > far else NONE


def judge_largest(answer, name, ratio):
    """Whether the one cause that dwarfs the others is named, at about its size; the others may be named if they are small."""
    terms = named(answer)
    if any(abs(math.log(t["ratio"])) > 0.5 * math.log(ratio) for other, t in terms.items() if other != name):
        return WRONG
    if name not in terms:
        return NONE
    return RIGHT if abs(math.log(terms[name]["ratio"] / ratio)) < 0.3 * math.log(ratio) else WRONG
