#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Logs of a pipeline whose change is known, and the truth about what the change cost.

    pipeline_logs.py FOLDER

For every case: CASE.before.log and CASE.after.log (TIMELINE lines, 1 ms), CASE.before.toml and
CASE.after.toml (rules that state the topology), and in truth.json the makespans and the Shapley
value of each cause, from counterfactuals that are simulated anew with the exact services.

The pipeline: `producers` workers make partitions of jobs, in order; a worker keeps its partition
until the queue before the provers, `places` long, has room for it; `provers` workers serve the
queue, first come first served. Time is integer microseconds. The simulator is written as a
recurrence over items in the order of their hand-over, not as a loop over events: it shares no idea
with the replay that is tested against it.
"""
import heapq
import itertools
import json
import pathlib
import random
import sys

PARTITIONS = 10
ITEMS = 400


def run(make, prove, producers, places, provers):
    """Begin, end and hand-over of each item's making, begin, end and worker of its proving."""
    n = len(make)
    rows = [None] * n
    # Producers in the order in which they become free; items are taken in order.
    producer_free = [0] * min(producers, n)
    heapq.heapify(producer_free)
    waiting = []  # (end of making, item): made, not yet handed over
    prover_free = [(0, w) for w in range(provers)]
    heapq.heapify(prover_free)
    proof_begins = []  # in the order of hand-over, ascending
    started = 0
    handed = 0
    while handed < n:
        # Whatever can begin before the next hand-over begins: a producer is free only after one.
        while started < n and producer_free:
            begin = heapq.heappop(producer_free)
            heapq.heappush(waiting, (begin + make[started], started, begin))
            started += 1
        made, item, begin = heapq.heappop(waiting)
        # First made, first handed over; the queue has room once the item `places` earlier left it.
        room = proof_begins[handed - places] if handed >= places else 0
        sent = max(made, room)
        free, worker = heapq.heappop(prover_free)
        start = max(sent, free)
        end = start + prove[item]
        heapq.heappush(prover_free, (end, worker))
        proof_begins.append(start)
        rows[item] = (begin, made, sent, start, end, worker)
        heapq.heappush(producer_free, sent)
        handed += 1
    return rows


def makespan(rows):
    return max(row[4] for row in rows) - min(row[0] for row in rows)


def services(mean_s, spread, seed):
    """Gamma-distributed services in microseconds: skewed, never zero."""
    source = random.Random(seed)
    shape = 1 / spread ** 2
    return [max(1, round(1e6 * source.gammavariate(shape, mean_s / shape))) for _ in range(ITEMS)]


def times(values, factor):
    return [round(value * factor) for value in values]


def log(path, rows, chan=True, lose=0.0, seed=0):
    lines = []
    for i, (begin, made, sent, start, end, worker) in enumerate(rows):
        job, part = "%08x" % (0xC0DE0000 + i // PARTITIONS), i % PARTITIONS
        ms = lambda us: (us + 500) // 1000
        add = lambda at, rank, event, rest: lines.append((at, rank, f"{ms(at)},{event},{job},{rest}"))
        add(begin, 5, "SYNTH_START", f"partition={part}")
        add(made, 0, "SYNTH_END", f"partition={part},synth_ms={ms(made - begin)}")
        if chan:
            add(sent, 1, "CHAN_SEND", f"partition={part},blocked_ms={ms(sent - made)}")
        add(sent, 2, "GPU_QUEUE", f"partition={part}")
        add(start, 3, "GPU_PICKUP", f"worker={worker},partition={part}")
        add(start, 4, "GPU_START", f"worker={worker},partition={part}")
        add(end, 0, "GPU_END", f"worker={worker},partition={part},gpu_ms={ms(end - start)}")
    source = random.Random(seed)
    lines.sort(key=lambda line: (line[0], line[1]))
    with open(path, "w") as file:
        for _, _, text in lines:
            if source.random() >= lose:
                file.write("TIMELINE," + text + "\n")


RULES = """# What no log says: the topology of the run.
[[stage]]
name = "synth"
servers = {producers}
permits = {producers}

[[stage]]
name = "gpu"
after = "synth"
servers = {provers}
capacity = {places}
"""


def shapley(before, after):
    """The mean, over all orders in which the causes could have come, of what each adds."""
    causes = [name for name in before if before[name] != after[name]]
    known = {}

    def worth(chosen):
        if chosen not in known:
            setup = {name: (after if name in chosen else before)[name] for name in before}
            known[chosen] = makespan(run(**setup))
        return known[chosen]

    values = dict.fromkeys(before, 0.0)
    orders = list(itertools.permutations(causes))
    for order in orders:
        chosen = frozenset()
        for name in order:
            values[name] += worth(chosen | {name}) - worth(chosen)
            chosen |= {name}
    return {name: value / len(orders) / 1e6 for name, value in values.items()}


def main(folder):
    out = pathlib.Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    make, prove = services(29.0, .15, 21), services(7.0, .1, 34)
    five = dict(make=make, prove=prove, producers=5, places=3, provers=1)
    four = dict(five, producers=4)
    cases = {
        "slack_20": (five, dict(five, make=times(make, 1.2))),
        "bottleneck_10": (five, dict(five, prove=times(prove, 1.1))),
        "moved": (four, dict(four, make=times(make, 1.05), prove=times(prove, 1.15))),
        "more_workers": (five, dict(five, make=times(make, 1.25), prove=times(prove, 1.12), producers=8)),
        "worker_less": (five, dict(five, producers=4)),
        "capacity_1": (dict(five, places=6), dict(five, places=1, provers=2, producers=8)),
    }
    truth = {}
    for name, sides in cases.items():
        for side, setup in zip(("before", "after"), sides):
            log(out / f"{name}.{side}.log", run(**setup))
            (out / f"{name}.{side}.toml").write_text(RULES.format(**setup))
        truth[name] = dict(delta_s=(makespan(run(**sides[1])) - makespan(run(**sides[0]))) / 1e6,
                           shapley_s=shapley(*sides))
    rows = run(**five)
    slow = run(**dict(five, prove=times(prove, 1.1)))
    for name, options in {"lost": dict(lose=.05, seed=5), "nochan": dict(chan=False)}.items():
        log(out / f"{name}.before.log", rows, chan=options.get("chan", True))
        log(out / f"{name}.after.log", slow, **options)
        for side in ("before", "after"):
            (out / f"{name}.{side}.toml").write_text(RULES.format(**five))
    (out / "truth.json").write_text(json.dumps(truth, indent=1) + "\n")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
