#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a Groth16 proof costs: the prover on its own circuits, by instruction set and threads, beside snarkjs in the same run.

usage: prover.py BIN_DIR --work FOLDER [--quick] [--runs N] [--only WORD,...] [--json FILE]

Every run is a fresh process. CPU (user and system) and peak memory (the largest resident size, pages of the key included) are
what wait4 says of it. The settings of one circuit take turns, round by round, so that a machine that slows down slows
all of them. Best and median of N runs. snarkjs proves with the same keys, which `prover setup` makes; it is left out above
2^18 rows, where it takes minutes. Figures called "published" are of others on a machine of the same kind (two cores), and only stand
beside ours. Circuits and keys stay in FOLDER/bench for the next time. Reports, asserts nothing: the clock is a real one.
--quick: one circuit of 2^12 rows, one run of each; what ctest runs so that this cannot rot.
"""
import argparse
import json
import math
import os
import pathlib
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests" / "interop"))
import peers  # noqa: E402

SETS = ("portable", "adx", "ifma")
SNARKJS_MOST, SNARKJS_MOST_BLS = 18, 16  # log2 of rows
MIB = 1 << 20


class Circuit:
    """`bars`: CPU seconds of one proof that each instruction set is to stay below, with the threads that use least."""

    def __init__(self, name, log2, words, published=None, bars=None, sets=SETS, curve="bn254"):
        self.name, self.log2, self.words, self.published, self.bars, self.sets = name, log2, words, published, bars or {}, sets
        self.curve = curve
        self.file = name.replace(" ", "-").replace(",", "")


class Published:
    """Of prover.md: rapidsnark's wall, CPU (s) and MiB; snarkjs's wall and MiB."""

    def __init__(self, wall, cpu, mib, snarkjs):
        self.wall, self.cpu, self.mib, self.snarkjs = wall, cpu, mib, snarkjs


def dense(log2, **options):
    # One public and the constant 1 take a row each.
    words = ["dense", "--constraints", str((1 << log2) - 2)]
    return Circuit(f"dense 2^{log2}{' BLS12-381' if 'curve' in options else ''}", log2, words, **options)


CIRCUITS = [
    dense(14),
    dense(16),
    Circuit("268 Poseidon", 16, ["poseidon", "--depth", "268"], Published("2.7-6.0", "1.9", 56, "27 s, 337 MiB")),
    Circuit("SHA-256 512 bit", 16, ["sha256", "--bits", "512"], Published("1.0-1.2", "0.44", 54, "7 s, 352 MiB")),
    Circuit("SHA-256 3584 bit", 18, ["sha256", "--bits", "3584"], Published("3.3-4.8", "2.1", 200, "12-15 s, 790 MiB"),
            {"ifma": 0.7, "adx": 1.8}),
    dense(18, published=Published("9.6-10.8", "9.7", 186, "36 s, 830 MiB"), bars={"ifma": 3.9, "adx": 8.0}),
    dense(16, curve="bls12-381"),
    dense(18, curve="bls12-381", sets=("best",)),
    # The two slower instruction sets take minutes here and say nothing new.
    dense(20, published=Published("18-19", "34-37", 676, "-"), sets=("best",)),
]
QUICK = [dense(12)]
# Sums over all points of a group with full scalars, BLS12-381, one thread, CPU seconds: the stage of our proofs of a dense circuit
# that is such a sum; blst's Pippenger, published; what ours is to stay below.
BLST = {16: (("msm_a", "G1", 0.41, None), ("msm_b2", "G2", 1.20, None)), 18: (("msm_a", "G1", 1.42, 0.57), ("msm_b2", "G2", 4.06, 1.6))}


class Sample:
    def __init__(self, wall, cpu, rss, details):
        self.wall, self.cpu, self.rss, self.details = wall, cpu, rss, details


def run(command, work, env=None, details=None):
    """One fresh process, timed from before it begins to after it was reaped. What it says goes to a file of the folder `work`."""
    said = work / "said.txt"
    began = time.monotonic()
    pid = os.posix_spawnp(str(command[0]), [str(word) for word in command], {**os.environ, **(env or {})},
                          file_actions=[(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                                        (os.POSIX_SPAWN_OPEN, 1, str(said), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644),
                                        (os.POSIX_SPAWN_DUP2, 1, 2)])
    _, status, usage = os.wait4(pid, 0)
    wall = time.monotonic() - began
    code = os.waitstatus_to_exitcode(status)
    if code != 0:
        raise peers.Failure(f"{peers.shown(command)} ended with {code}: {said.read_text(errors='replace').strip()[-600:]}")
    found = {}
    if details is not None:
        found = json.loads(details.read_text())
        details.unlink()
    return Sample(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, found)


def seconds(value):
    return f"{1e3 * value:.1f} ms" if value < 0.1 else f"{value:.3g} s" if value < 100 else f"{value:.0f} s"


def size(value):
    return f"{value / MIB:.0f} MiB"


def best_and_median(values):
    return f"{seconds(min(values)):>8} {seconds(statistics.median(values)):>8}"


class Bars:
    """What was to be reached, one after another, with what came."""

    def __init__(self):
        self.rows = []

    def at_most(self, what, got, bar, form=seconds):
        self.rows.append((what, form(got), f"<= {form(bar)}", got <= bar))

    def at_least(self, what, got, bar):
        self.rows.append((what, f"{got:.2f}x", f">= {bar:g}x", got >= bar))

    def show(self):
        if not self.rows:
            return
        print("\nbars\n")
        for what, got, bar, is_met in self.rows:
            print(f"  {'met   ' if is_met else 'MISSED'}  {what:<66} {got:>9}  {bar}")
        print(f"\n  {sum(row[3] for row in self.rows)} of {len(self.rows)} met")


class Bench:
    def __init__(self, options):
        self.prover = pathlib.Path(options.bin_dir).resolve() / "prover"
        self.work = pathlib.Path(options.work).resolve() / "bench"
        self.runs, self.quick = options.runs, options.quick
        self.bars, self.results = Bars(), {}
        self.work.mkdir(parents=True, exist_ok=True)
        self.sets = [isa for isa in SETS if self.has(isa)]
        self.tools = None
        try:
            self.tools = peers.Peers(options.work).install()
        except peers.Skip as why:
            print(f"snarkjs is NOT measured: {why}\n")

    def has(self, isa):
        """Whether this machine proves with these instructions; when not, the reason is printed."""
        try:
            return self.prove(*self.files(dense(3)), isa, 1).details["isa"] == isa
        except peers.Failure as why:
            print(f"{isa} is NOT measured: {why}\n")
            return False

    def files(self, circuit):
        """(key, witness) of a circuit, made at the first use."""
        r1cs, wtns, zkey = (self.work / f"{circuit.file}.{end}" for end in ("r1cs", "wtns", "zkey"))
        if not zkey.exists() or zkey.stat().st_mtime < self.prover.stat().st_mtime:
            if circuit.log2 > 16:
                sys.stderr.write(f"making the key of {circuit.name}\n")
            kind, *words = circuit.words
            peers.must(peers.run([self.prover, "circuit", kind, "--curve", circuit.curve, *words, "--r1cs", r1cs, "--wtns", wtns]))
            peers.must(peers.run([self.prover, "setup", r1cs, zkey, "--seed", "1"], timeout=3000))
            r1cs.unlink()
        return zkey, wtns

    def prove(self, zkey, wtns, isa, threads):
        details = self.work / "details.json"
        return run([self.prover, "prove", zkey, wtns, self.work / "proof.json", self.work / "public.json", "--threads", threads,
                    "--json", details], self.work, {"PROVER_ISA": isa}, details)

    def snarkjs(self, zkey, wtns):
        command = self.tools.snarkjs_command("groth16", "prove", zkey, wtns, self.work / "theirs.json", self.work / "public.json")
        return run(command, self.work)

    def with_snarkjs(self, circuit):
        return self.tools and circuit.log2 <= (SNARKJS_MOST if circuit.curve == "bn254" else SNARKJS_MOST_BLS)

    def measure(self, circuit):
        """{(isa, threads) or "snarkjs": [Sample]}; the settings take turns."""
        zkey, wtns = self.files(circuit)
        sets = self.sets if circuit.sets == SETS else self.sets[-1:]
        settings = {(isa, threads): (lambda isa=isa, threads=threads: self.prove(zkey, wtns, isa, threads))
                    for isa in sets for threads in (1, 2)}
        if self.with_snarkjs(circuit):
            settings["snarkjs"] = lambda: self.snarkjs(zkey, wtns)
        samples = {setting: [] for setting in settings}
        for turn in range(self.runs):
            for setting, once in settings.items():
                # snarkjs takes long and varies little; its first and third run are enough.
                if setting != "snarkjs" or turn in (0, 2):
                    samples[setting].append(once())
        self.results[circuit.name] = samples
        self.show(circuit, zkey, samples)

    def show(self, circuit, zkey, samples):
        print(f"\n{circuit.name}, domain 2^{circuit.log2}, {circuit.curve.upper()}, key of {size(zkey.stat().st_size)}\n")
        print(f"  {'':<22} {'CPU best  median':>18}   {'wall best  median':>18} {'peak memory':>12}  runs")
        for setting, taken in samples.items():
            name = setting if isinstance(setting, str) else f"{setting[0]}, {setting[1]} thread{'s' * (setting[1] > 1)}"
            print(f"  {name:<22} {best_and_median([s.cpu for s in taken]):>18}   {best_and_median([s.wall for s in taken]):>18} "
                  f"{size(max(s.rss for s in taken)):>12}  {len(taken)}")
        if circuit.published:
            p = circuit.published
            print(f"  {'rapidsnark, published':<22} {p.cpu + ' s':>18}   {p.wall + ' s':>18} {p.mib:>8} MiB")
            print(f"  {'snarkjs, published':<22} {'':>18}   {p.snarkjs:>18}")
        if "snarkjs" not in samples:
            print("  snarkjs is left out here: it takes minutes" if self.tools else "  snarkjs is not there")
        best = max((s for s in samples if s != "snarkjs"), key=lambda s: (SETS.index(s[0]), -s[1]))
        self.show_stages(best, samples[best])
        self.judge(circuit, samples, best)

    def show_stages(self, setting, taken):
        """Medians of each stage, and its part of the whole."""
        names = [stage["name"] for stage in taken[0].details["stages"]]
        print(f"\n  stages of {setting[0]}, {setting[1]} thread: CPU, part of the process's CPU")
        whole = statistics.median(s.cpu for s in taken)
        parts = []
        for i, name in enumerate(names):
            cpu = statistics.median(s.details["stages"][i]["cpu_s"] for s in taken)
            parts.append((name, cpu))
        parts.append(("outside them", whole - sum(cpu for _, cpu in parts)))
        for at in range(0, len(parts), 4):
            print("   " + "".join(f" {name:>14} {seconds(cpu):>8} {100 * cpu / whole:3.0f} %" for name, cpu in parts[at:at + 4]))

    def judge(self, circuit, samples, best):
        isa = best[0]
        one, two = samples[(isa, 1)], samples[(isa, 2)]
        scaling = statistics.median(s.wall for s in one) / statistics.median(s.wall for s in two)
        print(f"\n  T1/T2 (wall, medians): {scaling:.2f} with {os.cpu_count()} cores")
        for name, bar in circuit.bars.items():
            if (name, 1) in samples:
                self.bars.at_most(f"{circuit.name}: CPU, {name}", min(s.cpu for s in samples[(name, 1)]), bar)
        if circuit.published:
            self.bars.at_most(f"{circuit.name}: peak memory, rapidsnark's as published", max(s.rss for s in one + two),
                              circuit.published.mib * MIB, size)
        if "snarkjs" in samples:
            theirs = min(s.wall for s in samples["snarkjs"])
            print(f"  snarkjs : prover, best runs: wall {theirs / min(s.wall for s in two):.1f} with 2 threads, "
                  f"{theirs / min(s.wall for s in one):.1f} with 1; CPU "
                  f"{min(s.cpu for s in samples['snarkjs']) / min(s.cpu for s in one):.1f}")
            if circuit.log2 >= 16:
                self.bars.at_least(f"{circuit.name}: faster than snarkjs, wall, 2 threads", theirs / min(s.wall for s in two), 8)
        if circuit.log2 >= 16:
            verify = [next((t["cpu_s"] for t in s.details["stages"] if t["name"] == "verify"), 0) / s.cpu for s in one]
            self.bars.at_most(f"{circuit.name}: verifying one's own proof, part of the CPU", statistics.median(verify), 0.01,
                              lambda part: f"{100 * part:.2f} %")

    def blst(self):
        """Multi-scalar multiplications on BLS12-381 beside blst's, published."""
        print("\nmulti-scalar multiplication on BLS12-381, 1 thread, CPU, best: ours (a stage, points checked too), blst's as published\n")
        for log2, rows in BLST.items():
            samples = self.results.get(f"dense 2^{log2} BLS12-381")
            for stage, group, theirs, bar in rows if samples else ():
                isa = max((s[0] for s in samples if s != "snarkjs"), key=SETS.index)
                ours = min(t["cpu_s"] for s in samples[(isa, 1)] for t in s.details["stages"] if t["name"] == stage)
                print(f"  {group} 2^{log2}, {isa}: {seconds(ours):>8}   blst {theirs:.2f} s   {theirs / ours:.1f}x")
                if bar:
                    self.bars.at_most(f"BLS12-381 {group} multiplication 2^{log2}: CPU", ours, bar)

    def growth(self):
        """CPU = constant x rows^exponent between neighbours, and over all."""
        points = []
        for log2 in (14, 16, 18, 20):
            samples = self.results.get(f"dense 2^{log2}")
            if samples:
                points.append((log2, min(s.cpu for s in samples[(self.sets[-1], 1)])))
        if len(points) < 2:
            return
        print(f"\ngrowth of CPU with rows, dense circuits, {self.sets[-1]}, 1 thread: CPU ~ rows^e\n")
        exponent = lambda a, b: math.log2(b[1] / a[1]) / (b[0] - a[0])  # noqa: E731
        for a, b in zip(points, points[1:]):
            print(f"  2^{a[0]} -> 2^{b[0]}: {seconds(a[1]):>8} -> {seconds(b[1]):>8}   e = {exponent(a, b):.2f}")
        print(f"  over all: e = {exponent(points[0], points[-1]):.2f}")

    def start_up(self):
        """From the start of the process until the key is mapped and its header checked, on the largest key there is."""
        name = max(self.results, key=lambda n: next(c.log2 for c in CIRCUITS + QUICK if c.name == n))
        circuit = next(c for c in CIRCUITS + QUICK if c.name == name)
        zkey, _ = self.files(circuit)
        bytes_of_key = zkey.stat().st_size
        infos = [run([self.prover, "info", zkey], self.work) for _ in range(max(self.runs, 3))]
        inside = [s.details["open_s"] for taken in self.results[name].values() for s in taken if "open_s" in s.details]
        print(f"\nstart-up on a key of {size(bytes_of_key)} ({name}; its pages are in the system's cache)\n")
        print(f"  key and witness opened, as the prover reports    {best_and_median(inside)}   best, median of {len(inside)}")
        print(f"  the whole of `prover info KEY`, from outside     {best_and_median([s.wall for s in infos])}   {len(infos)}")
        if bytes_of_key >= 450e6:
            self.bars.at_most("start-up on a key of about 500 MB, median", statistics.median(inside), 0.05)

    def microbenches(self):
        print()
        print(peers.must(peers.run([self.prover, "bench", "field", *(["--quick"] if self.quick else [])])).output, end="")


def machine():
    with open("/proc/cpuinfo") as file:
        model = next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), "unknown CPU")
    return f"{model}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bin_dir")
    parser.add_argument("--work", required=True, help="folder for npm's packages, circuits and keys")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--runs", type=int)
    parser.add_argument("--only", default="", help="circuits whose name has one of these words")
    parser.add_argument("--json", type=pathlib.Path, help="every run, as JSON")
    options = parser.parse_args()
    options.runs = options.runs or (1 if options.quick else 5)
    bench = Bench(options)
    print(f"{machine()}; instruction sets: {', '.join(bench.sets)}"
          f"{'; snarkjs ' + bench.tools.version('snarkjs') if bench.tools else ''}")
    words = [word for word in options.only.split(",") if word]
    for circuit in QUICK if options.quick else CIRCUITS:
        if not words or any(word in circuit.name for word in words):
            bench.measure(circuit)
    if not options.quick:
        bench.blst()
    bench.growth()
    bench.start_up()
    bench.microbenches()
    bench.bars.show()
    if options.json:
        options.json.write_text(json.dumps({"schema_version": 1, "machine": machine(), "results": {
            name: {str(setting): [vars(s) for s in taken] for setting, taken in samples.items()}
            for name, samples in bench.results.items()}}, indent=1) + "\n")


if __name__ == "__main__":
    try:
        main()
    except peers.Failure as failure:
        sys.exit(f"bench prover: {failure}")
