# SPDX-License-Identifier: Apache-2.0
"""Commands in turns, in fresh processes: what a brute-force answer is made of, with nothing of assay in it.

Every round runs each command once, in an order of its own, so that a machine that slows down slows all of them. Two commands are
compared by the ratios within a round, whose median has an interval that holds for any distribution (order statistics).
"""
import math
import os
import random
import re
import statistics
import tempfile
import time

METRIC = re.compile(rb"^ASSAY (\S+)=(\S+)", re.M)


class Failed(Exception):
    """A command that did not end with status 0, with the end of what it printed."""


def run(command):
    """One fresh process: {"wall", "cpu": seconds} as the clock and wait4 say, and every line ASSAY name=value that it printed."""
    with tempfile.TemporaryFile() as said:
        began = time.monotonic()
        pid = os.posix_spawnp(command[0], command, os.environ,
                              file_actions=[(os.POSIX_SPAWN_DUP2, said.fileno(), 1), (os.POSIX_SPAWN_DUP2, said.fileno(), 2)])
        _, status, usage = os.wait4(pid, 0)
        wall = time.monotonic() - began
        said.seek(0)
        text = said.read()
    if status != 0:
        tail = text.decode(errors="replace").strip()[-600:]
        raise Failed(f"{' '.join(command)} ended with {os.waitstatus_to_exitcode(status)}: {tail}")
    values = {"wall": wall, "cpu": usage.ru_utime + usage.ru_stime}
    values.update((name.decode(), float(value)) for name, value in METRIC.findall(text))
    return values


def rounds(commands, count, seed=1, warm_ups=1, until=None):
    """`count` rounds of every command, or fewer when `until` (time.monotonic) has come and two are done: a list of results each."""
    order, results = random.Random(seed), [[] for _ in commands]
    for _ in range(warm_ups):
        for command in commands:
            run(command)
    for done in range(count):
        if until is not None and done >= 2 and time.monotonic() > until:
            break
        for i in order.sample(range(len(commands)), len(commands)):
            results[i].append(run(commands[i]))
    return results


def values(results, metric):
    return [result[metric] for result in results]


def median_interval(numbers, confidence=0.95):
    """The median, and its interval by order statistics; the range where there are too few (fewer than 6 at 0.95)."""
    ordered = sorted(numbers)
    n = len(ordered)
    below, k = 0.0, 0
    while k < n // 2:
        below += math.comb(n, k) / 2.0**n
        if 2 * below > 1 - confidence:
            break
        k += 1
    k = max(k - 1, 0)
    return statistics.median(ordered), ordered[k], ordered[n - 1 - k]


def ratio(base, other, metric, confidence=0.95):
    """other / base of a metric: (median, lo, hi) of the ratios within a round. Where a round has none, 1."""
    pairs = zip(values(base, metric), values(other, metric))
    return median_interval([b / a if a > 0 else 1.0 for a, b in pairs], confidence)
