#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How fast logs are read and explained, beside the shell pipelines that people use for it.

usage: trace.py BIN_DIR [--gib N] [--rounds N]

Makes logs of N GiB (default 1) with make_log, then prints, for each question, the wall time of assay and of
each peer that is installed: medians of alternating rounds in one run, file in the page cache, one core (everything
is pinned to one CPU). Every peer computes what assay prints beside much else: count, mean, median, p90,
p99 and max of the GPU times. Reports, asserts nothing: the clock is a real one. Peak memory is VmHWM of assay.
"""
import argparse, json, os, resource, shutil, statistics, subprocess, sys, tempfile, time

PERCENTILES = ("awk '{v[NR]=$1; s+=$1} END {printf \"n=%d mean=%.1f median=%s p90=%s p99=%s max=%s\\n\", NR, s/NR, "
               "v[int((NR+1)/2)], v[int(NR*.9)], v[int(NR*.99)], v[NR]}'")
PEERS = {
    "grep | sed | sort -n | awk": "grep GPU_END {log} | sed 's/.*gpu_ms=//' | sort -n | " + PERCENTILES,
    "mawk | sort -n | awk": "mawk -F'gpu_ms=' '/GPU_END/ {print $2}' {log} | sort -n | " + PERCENTILES,
    "ripgrep | sort -n | awk": "rg --no-mmap -o -r '$1' 'GPU_END.*gpu_ms=([0-9]+)' {log} | sort -n | " + PERCENTILES,
}


def timed(command, shell=False):
    """Wall seconds, user + system seconds and peak bytes of the largest process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.monotonic()
    done = subprocess.run(command, shell=shell, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=dict(os.environ, LC_ALL="C"))
    wall = time.monotonic() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"trace.py: exit status {done.returncode}: {command}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, cpu, done.stdout


def peak_of(command):
    """Peak resident bytes, by GNU time's way: a child of its own."""
    code = ("import resource, subprocess, sys; subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL);"
            "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)")
    return int(subprocess.run([sys.executable, "-c", code, *command], stdout=subprocess.PIPE, check=True, text=True).stdout)


def make(tools, folder, kind, size):
    path = os.path.join(folder, kind + ".log")
    with open(path, "wb") as out:
        subprocess.run([f"{tools}/make_log", kind, str(size)], stdout=out, check=True)
    return path


def compare(title, log, ours, peers, rounds):
    size = os.path.getsize(log)
    rows = {"assay": []}
    rows.update({name: [] for name in peers})
    cpus = {name: [] for name in rows}
    timed(["cat", log])  # into the page cache
    for _ in range(rounds):
        for name in rows:
            wall, cpu, _ = timed(ours) if name == "assay" else timed(peers[name].replace("{log}", log), shell=True)
            rows[name].append(wall)
            cpus[name].append(cpu)
    print(f"\n{title} ({size / 2**30:.2f} GiB)")
    base = statistics.median(rows["assay"])
    for name, walls in rows.items():
        wall = statistics.median(walls)
        print(f"  {name:<30} {wall:7.2f} s  {size / wall / 1e9:6.2f} GB/s  CPU {statistics.median(cpus[name]):6.2f} s" + ("" if name == "assay" else f"  {wall / base:6.1f} x assay"))
    return base


def explained(assay, log, *options):
    return [assay, "explain", "--json", *options, log]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tools")
    parser.add_argument("--gib", type=float, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", help="where the logs are made (default: a temporary folder)")
    args = parser.parse_args()
    tools, size = os.path.abspath(args.tools), int(args.gib * 2**30)
    assay = f"{tools}/assay"
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    peers = {name: line for name, line in PEERS.items() if "ripgrep" not in name or shutil.which("rg")}
    peers = {name: line for name, line in peers.items() if "mawk" not in name or shutil.which("mawk")}

    with tempfile.TemporaryDirectory(dir=args.folder) as folder:
        log = make(tools, folder, "sparse", size)
        compare("an application's log, one line in fifty an event: percentiles of the GPU times", log, explained(assay, log), peers, args.rounds)
        os.remove(log)

        log = make(tools, folder, "timeline", size)
        compare("TIMELINE events and nothing else: percentiles of the GPU times", log, explained(assay, log), peers, args.rounds)
        document = json.loads(timed(explained(assay, log))[2])
        spans, peak = document["runs"][0]["spans"], peak_of(explained(assay, log))
        print(f"  {spans / 1e6:.1f} million spans, peak memory {peak / 2**20:.0f} MiB: {peak / spans:.0f} B a span")
        os.remove(log)

        log = make(tools, folder, "logfmt", size)
        compare("logfmt, ten pairs a line, no rules written: every stage", log, explained(assay, log), {}, args.rounds)
        os.remove(log)

        log = make(tools, folder, "unknown", size)
        compare("a program that assay has no rules for: its slowest stage", log, explained(assay, log), {}, args.rounds)
        slowest = max(json.loads(timed(explained(assay, log))[2])["runs"][0]["stages"], key=lambda stage: stage["service"]["total"])
        print(f"  the slowest is {slowest['name']} (truth: transform), mean {1e3 * slowest['service']['mean']:.1f} ms (truth: 100 ms)")
        os.remove(log)

        log = make(tools, folder, "chrome", size)
        compare("Chrome trace JSON, complete events", log, explained(assay, log), {}, args.rounds)


main()
