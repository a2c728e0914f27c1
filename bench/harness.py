#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a run costs: assay beside a tight posix_spawn + wait4 loop and hyperfine -N, and what --isolate does.

usage: harness.py BIN_DIR [--runs N] [--rounds N]

Part 1 alternates the four ways of running /bin/true, several rounds, and prints medians over the rounds:
wall per run in all (the loop's whole time divided by its runs) and our own CPU per run. "with the store"
is the whole command `assay measure` less its start-up (one run), so it pays for every commit, and for one
fsync in thirty runs.
Part 2 runs a program of known cost beside a busy loop per core, without and with --isolate, and prints
by how much its wall time varies. Reports, asserts nothing: the clock is a real one.
"""
import argparse, json, os, re, statistics, subprocess, sys, tempfile, time


def output(command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True, **options).stdout


def figures(text):
    return [float(x) for x in re.findall(r"([0-9.]+) us a run", text)]


def with_store(tools, runs):
    def seconds(n):
        with tempfile.TemporaryDirectory() as folder:
            began = time.monotonic()
            output([f"{tools}/assay", "measure", "--store", f"{folder}/lab.db", "--quiet", "--runs", str(n), "/bin/true"])
            return time.monotonic() - began
    return 1e6 * (seconds(runs + 1) - seconds(1)) / runs


def hyperfine(runs):
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        def seconds(n):
            began = time.monotonic()
            output(["hyperfine", "-N", "--style", "none", "--warmup", "0", "--runs", str(n), "--export-json", out.name, "/bin/true"])
            return time.monotonic() - began
        return 1e6 * (seconds(runs + 2) - seconds(2)) / runs


def cost(tools, runs, rounds):
    rows = {"tight posix_spawn + wait4 loop": [], "assay, one run": [], "assay measure, with the store": [], "hyperfine -N": []}
    own = []
    for _ in range(rounds):
        rows["tight posix_spawn + wait4 loop"].append(figures(output([f"{tools}/spawn_loop", str(runs), "/bin/true"]))[0])
        wall, cpu = figures(output([f"{tools}/harness_bench", str(runs), "/bin/true"]))[:2]
        rows["assay, one run"].append(wall)
        own.append(cpu)
        rows["assay measure, with the store"].append(with_store(tools, runs))
        rows["hyperfine -N"].append(hyperfine(runs))
    base = rows["tight posix_spawn + wait4 loop"]
    print(f"{runs} runs of /bin/true, {rounds} alternating rounds, medians\n")
    print(f"  {'':<34} wall a run   ratio to the loop, round by round")
    for name, values in rows.items():
        ratios = [v / b for v, b in zip(values, base)]
        print(f"  {name:<34} {statistics.median(values):7.0f} us   {statistics.median(ratios):.2f}  [{min(ratios):.2f}, {max(ratios):.2f}]")
    print(f"\n  assay's own CPU, outside the store: {statistics.median(own):.0f} us a run\n")


def isolation(tools, runs):
    hogs = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count())]
    print(f"{runs} runs of burn 500 beside {len(hogs)} busy loops\n")
    try:
        for options in ([], ["--isolate"]):
            with tempfile.TemporaryDirectory() as folder:
                name = f"{folder}/r.json"
                output([f"{tools}/assay", "measure", "--store", f"{folder}/lab.db", "--quiet", *options, "--runs", str(runs),
                        "--json", name, f"{tools}/burn 500"])
                lines = output([f"{tools}/assay", "export", "--store", f"{folder}/lab.db",
                                output([f"{tools}/assay", "list", "--store", f"{folder}/lab.db", "--ids"]).split()[0]])
            walls = []
            for line in lines.splitlines():
                entry = json.loads(line)
                if entry.get("type") == "trial" and not entry.get("warmup"):
                    walls.append(entry["values"][0])
            spread = statistics.stdev(walls) / statistics.mean(walls)
            print(f"  {'--isolate' if options else 'plain':<10} median {1e3 * statistics.median(walls):6.1f} ms   standard deviation {100 * spread:5.1f} %")
    finally:
        for hog in hogs:
            hog.kill()
            hog.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bin_dir")
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    tools = os.path.abspath(options.bin_dir)
    cost(tools, options.runs, options.rounds)
    isolation(tools, 60)


if __name__ == "__main__":
    main()
