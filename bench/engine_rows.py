# SPDX-License-Identifier: Apache-2.0
"""The changes that the engineers of the system we follow made, what each did there, and which option of ours does the same.

A row has settings: the first is the engine before the change, each other one is compared with it. `why` says, in a sentence, why a
change does nothing here, and is printed only where nothing is measured.
"""


class Row:
    def __init__(self, change, there, option, work, settings, metrics=("wall", "cpu", "peak"), why=""):
        self.change, self.there, self.option, self.work = change, there, option, work
        self.settings, self.metrics, self.why = settings, metrics, why


# name -> words, full and quick. `batch` has a device that is busy all the time; `feed` one that waits for synthesis; `lone` is one job.
SIZES = {
    "full": {"dense": "--work dense --constraints 8190", "porep": "--work porep --depth 4"},
    "quick": {"dense": "--work dense --constraints 254", "porep": "--work dense --constraints 254"},
}
WORKS = {
    "batch": "batch {dense} -c 4 --partitions 4 --partition-workers 2",
    "porep": "batch {porep} -c 2 --partitions 3 --partition-workers 2",
    "lone": "batch {dense} -c 1 --partitions 4 --partition-workers 2",
    "synthesis": "synth-only {porep} --compiled off --partitions 4",
    "vectors": "synth-only {porep} --compiled on --partitions 4",
    # Where the engine's order and queues decide and not the arithmetic: work that sleeps.
    "asleep": "batch --work synthetic -c 6 --partitions 6 --synth-ms 16 --prove-ms 6 --finish-ms 3 --synth-cpu 0 --prove-cpu 0 --srs-mib 0 --cv 0.5",
}

SYNTHESIS = ("synthesis", "faults", "peak")

ROWS = [
    Row("SRS resident", "116.8 -> 92.8 s", "`--srs per-job` -> `resident`", "batch",
        [("per-job", "--srs per-job"), ("resident", "--srs resident")],
        why="Opening a key maps its file, and its points are checked where they are summed, so there is little to keep."),
    Row("split start/finish", "88.9 s alone; 71 overlapped", "`--split off` -> `on`, two prove workers", "batch",
        [("off", "--split off --prove-workers 2"), ("on", "--split on --prove-workers 2")],
        why="Two cores are busy either way: the device of this machine is its CPU, and a finish takes from the next start what it overlaps."),
    Row("bounded channel, looking ahead", "part of the same", "`--lookahead 1` -> `2`, `4`", "batch",
        [("1", "--lookahead 1"), ("2", "--lookahead 2"), ("4", "--lookahead 4")],
        why="The device never waits: one partition in the queue is enough to feed it."),
    Row("cross-job batching of 2", "62.7 s (1.42-1.46x)", "`--batch 1` -> `2`", "batch", [("1", "--batch 1"), ("2", "--batch 2")],
        why="A batch shares only the self-check of its proofs here; a GPU shares its loaded bases as well."),
    Row("  its price: a lone job waits", "30 s", "`--batch 1` -> `2 --batch-wait 300`", "lone",
        [("1", "--batch 1"), ("2", "--batch 2 --batch-wait 300")], metrics=("wall",)),
    Row("vectors recycled, no temporaries", "synthesis 55.4 -> 50.9 s", "`--lc-pool off` -> `on`", "synthesis",
        [("off", "--lc-pool off"), ("on", "--lc-pool on")], metrics=SYNTHESIS,
        why="The allocator hands the same small block back at once."),
    Row("SmallVec, inline capacity 1, 2, 4", "all ~60 s against 54.5 s", "`--lc-inline 0` -> `1`, `2`, `4`", "synthesis",
        [("0", "--lc-inline 0"), ("1", "--lc-inline 1"), ("2", "--lc-inline 2"), ("4", "--lc-inline 4")], metrics=SYNTHESIS,
        why="With recycled combinations there is no allocation left that an inline place could save."),
    Row("capacity hints (pre-sizing)", "no effect", "`--presize off` -> `on`", "synthesis",
        [("off", "--presize off"), ("on", "--presize on")], metrics=SYNTHESIS,
        why="A vector that doubles copies each element once in the mean, which is little beside what computes it."),
    Row("pinning host memory", "+5.7 s; 0.15-0.3 s predicted", "`--pin off` -> `on`", "vectors",
        [("off", "--pin off"), ("on", "--pin on")], metrics=SYNTHESIS,
        why="The pages are touched in any case; mlock only touches them earlier."),
    Row("asynchronous free", "wrapper 36 -> 26 s", "`--async-free off` -> `on`", "batch",
        [("off", "--async-free off"), ("on", "--async-free on")],
        why="A partition's vectors are unmapped in well under a millisecond; there they were 137 GiB."),
    Row("compiled circuit (CSR)", "synthesis 50.4 -> 35.5 s; 3-5x promised", "`--compiled off` -> `on`", "synthesis",
        [("off", "--compiled off"), ("on", "--compiled on")], metrics=SYNTHESIS),
    Row("partitions one by one", "72.0 s at 71 GiB against 62.3 s at 228 GiB", "`--slots any` -> `1`", "batch",
        [("any", "--slots any"), ("1", "--slots 1")]),
    Row("synthesis concurrency 1/2/4", "45.3 / 42.2 / 60.2 s", "`--synthesis-jobs 1` -> `2`, `4`", "batch",
        [("1", "--synthesis-jobs 1"), ("2", "--synthesis-jobs 2"), ("4", "--synthesis-jobs 4")],
        why="Partitions of different jobs are alike, and the device is busy either way."),
    Row("two prove workers", "50.7 -> 44.0 s", "`--prove-workers 1` -> `2`", "batch",
        [("1", "--prove-workers 1"), ("2", "--prove-workers 2")],
        why="Starts take turns on the device; only the finish of one overlaps the start of the next."),
    Row("G2 in parallel with the rest", "part of 36 -> 26 s", "`--g2 serial` -> `parallel`", "lone",
        [("serial", "--g2 serial"), ("parallel", "--g2 parallel")]),
    Row("window size per sum", "part of the same", "`--window 8` -> `auto`", "batch", [("8", "--window 8"), ("auto", "--window auto")]),
    Row("log lines on stderr -> asynchronous", "none", "`--log-sink stderr` -> `async`, `off`", "batch",
        [("stderr", "--log-sink stderr"), ("async", "--log-sink async"), ("off", "--log-sink off")],
        why="A partition writes eight lines, some ten microseconds each."),
    Row("prove threads fewer", "38.0 -> 36.7 s (192 -> 32)", "`--prove-threads 4` -> `2`, `1`", "batch",
        [("4", "--prove-threads 4"), ("2", "--prove-threads 2"), ("1", "--prove-threads 1")]),
    Row("early a/b/c free", "part of 668 -> 400 GiB", "`--early-free off` -> `on`, two prove workers", "porep",
        [("off", "--early-free off --prove-workers 2"), ("on", "--early-free on --prove-workers 2")]),
    Row("channel capacity 1 -> max(lookahead, workers)", "the same; 37.1 -> 38.8 s", "`--channel 1` -> `auto`, two prove workers", "batch",
        [("1", "--channel 1 --prove-workers 2"), ("auto", "--channel auto --prove-workers 2")],
        why="With permits that travel along, the queue's places only decide where a finished partition waits."),
    Row("permit held through the send", "the same: 28 finished outputs piled up without it", "`--permit-scope synthesis` -> `send`", "porep",
        [("synthesis", "--permit-scope synthesis"), ("send", "--permit-scope send")]),
    Row("partition workers 10/12/14/16", "38.5 / 37.7 / 37.8 / 38.4 s; 321-510 GiB", "`--partition-workers 1` -> `2`, `4`, `8`", "porep",
        [("1", "--partition-workers 1"), ("2", "--partition-workers 2"), ("4", "--partition-workers 4"), ("8", "--partition-workers 8")]),
    Row("FIFO -> priority order", "0.485 -> 0.602 proofs a minute", "`--order fifo` -> `priority`", "asleep",
        [("fifo", "--order fifo"), ("priority", "--order priority")], metrics=("wall", "latency"),
        why="All partitions are alike, so the order does not change when the last one ends; it changes when the others do."),
    Row("byte budget", "bounded", "`--memory-budget none` -> half of the peak", "porep",
        [("none", "--partition-workers 8"), ("half", "--partition-workers 8 --memory-budget {half}")]),
    Row("job-id collision; use after free; a counter that only rises", "wrong proofs, crash, a lying metric", "tests", None, []),
]
