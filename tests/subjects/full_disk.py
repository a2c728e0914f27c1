#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A disk that fills up in the middle of a bisection: clear words, nothing half done, the record goes on once there is
room, and the checkout is as it was, to the byte and the time stamp. Needs root for a small file system; without it
this says so and exits 77, which ctest shows as skipped.

    full_disk.py BIN_DIR
"""
import hashlib
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ASSAY = os.path.join(os.path.abspath(sys.argv[1]), "assay")


def fingerprint(folder):
    digest = hashlib.sha256()
    for place, folders, files in sorted(os.walk(folder)):
        for name in sorted(folders + files):
            path = os.path.join(place, name)
            status = os.lstat(path)
            digest.update(repr((path, status.st_mode, status.st_ino, status.st_nlink, status.st_mtime_ns,
                                status.st_ctime_ns)).encode())
            if os.path.isfile(path) and not os.path.islink(path):
                with open(path, "rb") as file:
                    digest.update(file.read())
    return digest.hexdigest()


def check(what, condition, text=""):
    if not condition:
        raise AssertionError(f"{what}\n{text}")


def main(folder):
    disk, repository = os.path.join(folder, "disk"), os.path.join(folder, "repository")
    os.mkdir(disk)
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "none", disk], capture_output=True, text=True)
    if mounted.returncode != 0:
        print(f"SKIPPED: a full disk was not tested, a small file system needs root: {mounted.stderr}")
        return 77
    try:
        subprocess.run([sys.executable, os.path.join(HERE, "make_history.py"), "--commits", "40", "--effect", "0.5",
                        repository], check=True)
        with open(repository + ".truth.json") as file:
            truth = json.load(file)
        before = fingerprint(repository)
        env = {**os.environ, "ASSAY_STORE": os.path.join(disk, "lab.db")}

        def assay(*words):
            return subprocess.run([ASSAY, *words], cwd=repository, env=env, capture_output=True, text=True)

        stopped = assay("bisect", "--seed", "1", "--gate", "cpu", "--good", truth["good"], "--build",
                        "sh build.sh && head -c 700000 /dev/urandom > junk", "--", "./bench")
        said = stopped.stdout + stopped.stderr
        check("it stops", stopped.returncode == 3, said)
        check("with words", "No space left" in said or "the disk was full" in said or "left on this disk" in said, said)
        check("and a way out", "'assay resume' then goes on" in said, said)
        listed = json.loads(assay("list", "--json").stdout)["records"]
        check("one record, interrupted", len(listed) == 1 and listed[0]["interrupted"], listed)
        cache = json.loads(assay("cache", "--json").stdout)
        check("nothing half done", all(b["finished"] for b in cache["builds"]), cache)
        half = [n for _, _, files in os.walk(disk) for n in files if n.startswith("tmp_")]
        check("no half pack", not half, half)
        subprocess.run(["mount", "-o", "remount,size=64m", disk], check=True)
        answer = os.path.join(folder, "answer.json")
        resumed = assay("resume", "--json", answer)
        check("it goes on", resumed.returncode == 0, resumed.stdout + resumed.stderr)
        with open(answer) as file:
            culprit = json.load(file)["culprit"]
        check("to the right answer", culprit == truth["culprits"][0], resumed.stdout)
        check("the checkout is untouched", fingerprint(repository) == before)
    finally:
        subprocess.run(["umount", "-l", disk])
    return 0


with tempfile.TemporaryDirectory() as temporary:
    code = main(temporary)
sys.exit(code)
