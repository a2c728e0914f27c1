# SPDX-License-Identifier: Apache-2.0
"""How many partition workers? The front of time and memory, its knee, and what fits a budget.

Synthetic work sleeps, so the truth is a formula: a synthesis of four times the device's time needs four workers; more only hold
memory, and each holds a partition.
"""
import json

from lab import NONE, RIGHT, WRONG, Outcome, mib

LEVELS = (1, 2, 3, 4, 6, 8, 12, 16)
PARTITION, BASE_LEVEL = 9, 4  # MiB of a partition; the fewest workers that feed the device
BUDGET = 96


def sweep(lab):
    levels = LEVELS[1::2] if lab.quick else LEVELS
    command = lab.prover("batch --work synthetic -c 1 --partitions 20 --partition-mib 8 --witness-mib 1 --srs-mib 0 --cv 0.1 --synth-cpu 0 --prove-cpu 0 "
                         f"{'--synth-ms 16 --prove-ms 4' if lab.quick else '--synth-ms 120 --prove-ms 30'} --finish-ms 1 --partition-workers {{workers}}")
    answer = lab.assay("sweep", "--param", "workers=" + ",".join(map(str, levels)), "--tolerance", "5%", "--memory-budget",
                       f"{BUDGET}MiB", *(["--rounds", "12"] if lab.quick else []), "--", *command, gate="wall")
    trade = json.loads(lab.say("trade", "--record", answer["id"], "--setting", "partition-workers", "--memory-budget", f"{BUDGET}MiB",
                               "--json"))["tables"][0]
    return answer, trade


def front_and_knee(lab):
    answer, trade = sweep(lab)
    slope = (answer["memory"] or {}).get("slope_bytes") or 0
    times = {int(level["level"]): level["median"] for level in answer["levels"]}
    peaks = {int(level["level"]): level["peak_memory"] for level in answer["levels"]}
    fits = max((w for w in peaks if peaks[w] <= BUDGET * 2**20), default=0)
    fit = int((answer["memory"] or {}).get("largest_fit", "=0").split("=")[-1])
    knee = int((answer["knee"] or "=0").split("=")[-1])
    flat_from = min((w for w in times if times[w] <= 1.05 * min(times.values())), default=0)
    said = (f"knee at {knee or 'none'}, {mib(slope)} a worker, {fit or 'none'} fits {BUDGET} MiB; trade: {trade['sentence'].split(';')[0]}")
    right = abs(slope / 2**20 - PARTITION) < 1 and fit == fits and flat_from == BASE_LEVEL
    wrong = abs(slope / 2**20 - PARTITION) > 2 or (fit and fit != fits)
    truth = f"{BASE_LEVEL} workers feed the device, {PARTITION} MiB a worker, {fits} fits {BUDGET} MiB"
    return Outcome(truth, said, RIGHT if right else WRONG if wrong else NONE)
