# SPDX-License-Identifier: Apache-2.0
"""Compares what a command printed with what a test or the manual says it prints.

Expected lines may hold %int, %float (with or without sign, fraction and exponent), %any (anything within the line);
a line `...` stands for any number of lines. In a line with a wildcard, runs of blanks match any
run of blanks, because the width of a number moves the columns behind it.
"""
import difflib
import itertools
import operator
import re

WILDCARDS = {
    "%int": r"[+-]?\d+",
    "%float": r"[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?",
    "%any": r".*?",
}
TOKEN = re.compile("|".join(WILDCARDS))


FIGURE = re.compile(r"(?<![A-Za-z_./-])[+-]?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?(?: (?:ns|us|ms|s|min|B|[KMGT]iB|[kMG])\b)?")


def without_figures(line):
    """The line with every measured value, its unit and the blanks around it made alike: a page may show what was really
    measured, and the test checks all the rest. Numbers inside words and options (stage2, -c) stay."""
    return " ".join(FIGURE.sub("#", line).split())


def line_pattern(line):
    """The regular expression of one expected line, or None when it must match as it stands."""
    if not TOKEN.search(line):
        return None
    parts, at = [], 0
    for found in TOKEN.finditer(line):
        parts += [escape_text(line[at:found.start()]), WILDCARDS[found.group()]]
        at = found.end()
    parts.append(escape_text(line[at:]))
    return re.compile("".join(parts) + r"\s*\Z")


def escape_text(text):
    return re.sub(r"(?:\\ )+", r"\\s+", re.escape(text))


def line_matches(expected, actual):
    pattern = line_pattern(expected)
    if pattern is None:
        return expected.rstrip() == actual.rstrip()
    return pattern.match(actual) is not None


def matches(expected, actual):
    """Whether the list of lines `actual` is what the list `expected` says."""
    # reached[j]: the first i expected lines can stand for the first j actual ones.
    reached = [True] + [False] * len(actual)
    for line in expected:
        following = [False] * len(reached)
        if line.strip() == "...":
            following = list(itertools.accumulate(reached, operator.or_))
        else:
            for j, ok in enumerate(reached[:-1]):
                following[j + 1] = ok and line_matches(line, actual[j])
        reached = following
        if True not in reached:
            return False
    return reached[-1]


def merged(expected, actual):
    """`actual`, but with the expected line wherever a line of it already matched: a proposal to accept."""
    if len(expected) != len(actual):
        return actual
    return [e if line_matches(e, a) else a for e, a in zip(expected, actual)]


def difference(expected, actual):
    lines = difflib.unified_diff(expected, merged(expected, actual), "expected", "got", lineterm="", n=3)
    return "\n".join(lines)
