#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""From command to verdict: assay beside hyperfine and beside a Mann-Whitney test of hyperfine's samples.

usage: verdicts.py BIN_DIR [--comparisons N] [--baselines N] [--budget TIME] [--no-hog]

The subject is BIN_DIR/burn, whose true ratio is known: identical commands, +3 % and +10 %. A busy loop per
core runs beside everything. For every tool and ratio the table says how often its reading was right and
how long it took. hyperfine's reading is its own summary line (one command ran "x +- y times faster",
y not reaching 1); Mann-Whitney is judged twice: at the p < .05 that people use, and at the p that
gives no false alarm on the identical commands here (an equal true error, as far as the number of
comparisons can show it). Reports, asserts nothing: the clock is a real one.
"""
import argparse, json, math, os, random, subprocess, sys, tempfile, time

BASE = 1000
RATIOS = (1.0, 1.03, 1.10)


def mann_whitney(a, b):
    """Two-sided p by the normal approximation with tie correction (n >= 8 a side)."""
    values = sorted((v, i) for i, v in enumerate(a + b))
    ranks, k, ties = [0.0] * len(values), 0, 0.0
    while k < len(values):
        j = k
        while j + 1 < len(values) and values[j + 1][0] == values[k][0]:
            j += 1
        for m in range(k, j + 1):
            ranks[values[m][1]] = (k + j) / 2 + 1
        ties += (j - k + 1) ** 3 - (j - k + 1)
        k = j + 1
    n, m = len(a), len(b)
    u = sum(ranks[:n]) - n * (n + 1) / 2
    total = n + m
    sd = math.sqrt(n * m / 12 * ((total + 1) - ties / (total * (total - 1))))
    z = max(0.0, abs(u - n * m / 2) - 0.5) / sd if sd else 0.0
    return math.erfc(z / math.sqrt(2))


def command(tools, ratio):
    return f"{tools}/burn {round(BASE * ratio)}"


def assay(tools, ratio, gate, budget):
    with tempfile.TemporaryDirectory() as folder:
        began = time.monotonic()
        run = subprocess.run([f"{tools}/assay", "compare", "--store", f"{folder}/lab.db", "--gate", gate, "--json", "-",
                              "--quiet", "--time-budget", budget, command(tools, 1.0), command(tools, ratio)],
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        seconds = time.monotonic() - began
        return json.loads(run.stdout)["verdict"], seconds


def hyperfine(tools, ratio):
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        began = time.monotonic()
        subprocess.run(["hyperfine", "-N", "--style", "none", "--export-json", out.name, command(tools, 1.0), command(tools, ratio)],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        seconds = time.monotonic() - began
        a, b = json.load(open(out.name))["results"]
        fast, slow = sorted((a, b), key=lambda r: r["mean"])
        ratio_read = slow["mean"] / fast["mean"]
        spread = ratio_read * math.hypot(slow["stddev"] / slow["mean"], fast["stddev"] / fast["mean"])
        reading = "same" if ratio_read - spread <= 1 else "SLOWER" if slow is b else "FASTER"
        worse = sorted(b["times"])[len(b["times"]) // 2] > sorted(a["times"])[len(a["times"]) // 2]
        return reading, mann_whitney(a["times"], b["times"]), worse, seconds


def row(name, results, seconds):
    right, wrong, count = results
    print(f"  {name:<44} {100 * right / count:5.0f} %  {100 * wrong / count:7.0f} %  {seconds / count:8.1f} s", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bin_dir")
    parser.add_argument("--comparisons", type=int, default=12, help="per tool and ratio")
    parser.add_argument("--baselines", type=int, default=40, help="identical pairs for the recalibrated Mann-Whitney")
    parser.add_argument("--budget", default="20s", help="assay's --time-budget for one comparison")
    parser.add_argument("--no-hog", action="store_true")
    options = parser.parse_args()
    tools = os.path.abspath(options.bin_dir)
    cores = 0 if options.no_hog else os.cpu_count()
    hogs = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(cores)]
    try:
        compare_all(tools, options, cores)
    finally:
        for hog in hogs:
            hog.kill()
            hog.wait()


def compare_all(tools, options, cores):
    print(f"{options.comparisons} comparisons a line, {cores} busy loops beside them\n")
    baselines = [hyperfine(tools, 1.0) for _ in range(options.baselines)]
    strict = min(p for _, p, _, _ in baselines)
    for ratio in RATIOS:
        print(f"true ratio {ratio}:{'':<33} right    wrong claim   seconds")
        want = "EQUIVALENT" if ratio == 1 else "SLOWER"
        for gate in ("wall", "cpu", "wall,cpu"):
            runs = [assay(tools, ratio, gate, options.budget) for _ in range(options.comparisons)]
            claims = {"SLOWER", "FASTER"} - ({want} if ratio != 1 else set())
            row(f"assay compare --gate {gate}", (sum(v == want for v, _ in runs), sum(v in claims for v, _ in runs), len(runs)),
                sum(s for _, s in runs))
        runs = baselines if ratio == 1 else [hyperfine(tools, ratio) for _ in range(options.comparisons)]
        want = "same" if ratio == 1 else "SLOWER"
        row("hyperfine's own reading (wall)", (sum(r == want for r, _, _, _ in runs),
            sum(r != want and r != "same" for r, _, _, _ in runs), len(runs)), sum(s for *_, s in runs))
        for name, level in (("Mann-Whitney of its samples, p < .05", 0.05), (f"Mann-Whitney at p < {strict:.1g} (no alarm above)", strict)):
            claims = [(p < level, worse) for _, p, worse, _ in runs]
            right = sum((not c) if ratio == 1 else (c and w) for c, w in claims)
            wrong = sum(c if ratio == 1 else (c and not w) for c, w in claims)
            row(name, (right, wrong, len(runs)), sum(s for *_, s in runs))
        print()
    print("right: EQUIVALENT (or no claim, for tools that cannot say it) on identical commands, SLOWER on the others.")
    print("UNDECIDED is neither right nor a wrong claim.")


if __name__ == "__main__":
    main()
