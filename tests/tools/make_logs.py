#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the small TIMELINE logs of tests/data/logs, the same bytes every time.

    make_logs.py [FOLDER]

A pipeline of two stages: synth (producers that hold a permit through the send) -> a queue -> gpu (one
worker). 4 jobs of 10 partitions. after.log: the gpu takes 10 % longer. quick.log: synth takes 20 %
longer and has slack. nochan.log: CHAN_SEND is never written. lost.log: every ninth line is missing.
torn.log: ends in the middle of a line. leak.log: the permit is released before the send.
"""
import heapq
import pathlib
import sys

JOBS, PARTITIONS = 4, 10


def service_times(mean_ms, spread, seed):
    """Skewed times around a mean, from a fixed sequence."""
    state, times = seed, []
    for _ in range(JOBS * PARTITIONS):
        state = (state * 1103515245 + 12345) % 2**31
        share = state / 2**31
        times.append(round(mean_ms * (1 - spread + 3 * spread * share * share)))
    return times


def run(synth, gpu, producers=5, room=2, hold=True):
    """Events (ms, order, name, item, fields), sorted."""
    events, heap, queue, blocked, waiting = [], [], [], [], list(range(len(synth)))
    order, free = 0, True

    def log(at, name, item, fields=""):
        nonlocal order
        order += 1
        events.append((at, order, name, item, fields))

    def begin(at):
        if waiting:
            item = waiting.pop(0)
            log(at, "SYNTH_START", item)
            heapq.heappush(heap, (at + synth[item], 0, item))

    def move(at):
        nonlocal free
        moved = True
        while moved:
            moved = False
            if free and queue:
                item = queue.pop(0)
                free, moved = False, True
                log(at, "GPU_PICKUP", item, "worker=0")
                log(at, "GPU_START", item, "worker=0")
                heapq.heappush(heap, (at + gpu[item], 1, item))
            if blocked and len(queue) < room:
                item, since = blocked.pop(0)
                queue.append(item)
                moved = True
                log(at, "CHAN_SEND", item, f"blocked_ms={at - since}")
                log(at, "GPU_QUEUE", item)
                if hold:
                    begin(at)

    for _ in range(producers):
        begin(0)
    while heap:
        at, kind, item = heapq.heappop(heap)
        if kind == 0:
            log(at, "SYNTH_END", item, f"synth_ms={synth[item]}")
            blocked.append((item, at))
            if not hold:
                begin(at)
        else:
            log(at, "GPU_END", item, f"worker=0,gpu_ms={gpu[item]}")
            free = True
        move(at)
    return sorted(events)


def lines(events, skip=()):
    out = ["2026-03-04T05:06:07Z engine: starting, effective_lookahead=2\n"]
    for at, _, name, item, fields in events:
        if name in skip:
            continue
        job, partition = f"job{item // PARTITIONS + 1:02d}", item % PARTITIONS
        given = [field for field in fields.split(",") if field]
        workers = [field for field in given if field.startswith("worker=")]
        tail = ",".join([*workers, f"partition={partition}", *(f for f in given if f not in workers)])
        out.append(f"TIMELINE,{at},{name},{job},{tail}\n")
    return out


def main():
    default = pathlib.Path(__file__).resolve().parent.parent / "data" / "logs"
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else default
    folder.mkdir(parents=True, exist_ok=True)
    synth, gpu = service_times(2900, .15, 2), service_times(700, .1, 3)
    before = run(synth, gpu)

    def write(name, text):
        (folder / name).write_text("".join(text))

    write("before.log", lines(before))
    write("after.log", lines(run(synth, [round(t * 1.1) for t in gpu])))
    write("quick.log", lines(run([round(t * 1.2) for t in synth], gpu)))
    write("nochan.log", lines(before, skip={"CHAN_SEND"}))
    write("lost.log", [line for i, line in enumerate(lines(before)) if i % 9 != 8])
    write("torn.log", "".join(lines(before))[:-9])
    write("leak.log", lines(run(synth, gpu, producers=9, room=1, hold=False)))


if __name__ == "__main__":
    main()
