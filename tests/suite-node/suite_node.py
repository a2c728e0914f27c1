#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""assay's suite commands on a real suite of @chainsafe/benchmark.

    suite_node.py --bin FOLDER --work FOLDER      exit 77, with the reason, without Node, npm or its registry
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
TOOL = "node_modules/@chainsafe/benchmark/bin/index.js"


def skip(why):
    print(f"SKIPPED: {why}")
    sys.exit(77)


def install(work):
    if not shutil.which("node") or not shutil.which("npm"):
        skip("Node and npm are not installed")
    folder = work / "suite"
    shutil.copytree(HERE, folder, dirs_exist_ok=True)
    stamp, wanted = folder / "installed", (HERE / "package-lock.json").read_text()
    if not stamp.exists() or stamp.read_text() != wanted:
        done = subprocess.run(["npm", "ci", "--ignore-scripts"], cwd=folder, capture_output=True, text=True)
        if done.returncode != 0:
            skip("npm cannot install the suite: " + (done.stderr.strip().splitlines() or ["no reason given"])[-1])
        stamp.write_text(wanted)
    # The tool wants to know its commit at the end.
    if not (folder / ".git").exists():
        subprocess.run(["git", "init", "-q", "."], cwd=folder, check=True)
        subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@t", "commit", "-q", "--allow-empty", "-m", "suite"],
                       cwd=folder, check=True)
    return folder


class Suite:
    def __init__(self, folder, binaries):
        self.folder, self.assay = folder, binaries / "assay"
        self.env = dict(os.environ, ASSAY_MACHINE_LOCK=str(folder / "machine.lock"))

    def run(self, *words, code=0):
        command = [self.assay, "--store", self.folder / "lab.db", "suite", *words, "--json", "-", "--", "node", TOOL, "bench/*.bench.mjs"]
        done = subprocess.run([str(word) for word in command], cwd=self.folder, env=self.env, capture_output=True, text=True)
        assert done.returncode == code, f"exit {done.returncode}, not {code}\n{done.stdout}\n{done.stderr}"
        return json.loads(done.stdout)


def by_id(report):
    return {row["id"]: row for row in report["benchmarks"]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    options = parser.parse_args()
    suite = Suite(install(options.work), options.bin.resolve())

    listed = suite.run("list")
    assert listed["adapter"] == "chainsafe" and listed["reorders"] and not listed["repeats"], listed
    assert [unit["name"] for unit in listed["units"]] == [f"bench/{name}.bench.mjs" for name in ("a_sum", "b_forget", "c_late", "d_fail")]

    # The tool exits with 0 although one failed: assay does not.
    alone = suite.run("run", "--rounds", "2", code=3)
    rows = by_id(alone)
    assert rows["no such state"]["status"] == "FAILED" and "no such state" in rows["no such state"]["message"], rows["no such state"]
    assert rows["not today"]["skipped"] == 2, rows["not today"]
    assert rows["sum/reduce"]["ok"] == 2 and rows["sum/reduce"]["median"] > 0, rows["sum/reduce"]  # a '/' is no folder
    assert rows["sum/reduce"]["unit"] == "bench/a_sum.bench.mjs", rows["sum/reduce"]
    assert [fact["name"] for fact in rows["sum/reduce"]["facts"]] == ["heap_limit"], rows["sum/reduce"]

    whole = by_id(suite.run("run", "--rounds", "1", "--isolation", "suite", code=3))
    assert whole["first number"]["unit"] == "bench/c_late.bench.mjs", whole["first number"]
    assert whole["last number"]["unit"] == "bench/b_forget.bench.mjs", whole["last number"]
    assert not (suite.folder / "benchmark_data").exists(), "the tool wrote a history of its own"
    print("ok")


if __name__ == "__main__":
    main()
