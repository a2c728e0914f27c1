#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs golden tests: one command each, with all it prints and its exit status.

    golden.py --bin FOLDER FILE.test ...      exit 1 on a miss, with FILE.test.got written beside the test
    golden.py --bin FOLDER --accept FILE ...  takes what came as what is expected

A test:
    # what it shows
    setup: printf 'x' > file        (a shell line, any number; must succeed)
    env: NAME=VALUE                 (any number)
    command: assay list --jsno      (one shell line, run in a fresh folder)
    exit: 2
    --- stdout
    --- stderr
    assay: list has no option '--jsno'
      did you mean '--json'?

Wildcards are those of expect.py; the fresh folder appears as %dir.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import expect  # noqa: E402

SECTIONS = ("--- stdout", "--- stderr")
TIMEOUT_S = 240


class Test:
    def __init__(self, path):
        self.path, self.head = path, []
        self.setup, self.env, self.command, self.exit = [], {}, None, 0
        self.output = {"--- stdout": [], "--- stderr": []}
        section = None
        for number, line in enumerate(path.read_text().split("\n"), 1):
            if line in SECTIONS:
                section = line
            elif section:
                self.output[section].append(line)
            else:
                self.head.append(line)
                self.read_head(line, number)
        for lines in self.output.values():
            while lines and not lines[-1]:
                lines.pop()
        if not self.command:
            raise SystemExit(f"{path}: no command")

    def read_head(self, line, number):
        key, colon, value = line.partition(":")
        value = value.strip()
        if not line.strip() or line.startswith("#"):
            return
        if key == "setup":
            self.setup.append(value)
        elif key == "env":
            name, _, text = value.partition("=")
            self.env[name] = text
        elif key == "command":
            self.command = value
        elif key == "exit":
            self.exit = int(value)
        elif key != "serial" or not colon:
            raise SystemExit(f"{self.path}:{number}: '{line}' is neither a comment nor a known key")

    def text(self, code, outputs):
        head = [f"exit: {code}" if line.startswith("exit:") else line for line in self.head]
        lines = head
        for section in SECTIONS:
            lines = lines + [section] + outputs[section]
        return "\n".join(lines) + "\n"


DATA = pathlib.Path(__file__).resolve().parent.parent / "tests" / "data"


def environment(folder, bin_folder, extra):
    """A clean one: the same on every machine. $TEST_DATA is tests/data."""
    env = {"TEST_DATA": str(DATA), "PATH": f"{bin_folder}:{os.environ.get('PATH', '/usr/bin:/bin')}", "HOME": folder, "COLUMNS": "140", "LC_ALL": "C.UTF-8",
           "TZ": "UTC", "TERM": "dumb", "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "T", "GIT_AUTHOR_EMAIL": "t@t",
           "GIT_COMMITTER_NAME": "T", "GIT_COMMITTER_EMAIL": "t@t"}
    return {**env, **extra}


def checked_bin(folder):
    if not os.access(os.path.join(folder, "assay"), os.X_OK):
        raise SystemExit(f"{folder} holds no program assay: build it first")
    return os.path.abspath(folder)


def shell(line, folder, env):
    return subprocess.run(["bash", "-o", "pipefail", "-c", line], cwd=folder, env=env, stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=TIMEOUT_S, text=True, errors="backslashreplace")


def run(test, bin_folder, accept):
    """True when the test passes (or was accepted)."""
    with tempfile.TemporaryDirectory(prefix="assay-golden-") as folder:
        folder = os.path.realpath(folder)
        env = environment(folder, bin_folder, test.env)
        for line in test.setup:
            done = shell(line, folder, env)
            if done.returncode:
                print(f"FAIL {test.path}: setup '{line}' exited {done.returncode}\n{done.stderr}")
                return False
        done = shell(test.command, folder, env)
    got = {"--- stdout": done.stdout, "--- stderr": done.stderr}
    got = {k: v.replace(folder, "%dir").split("\n")[:-1] if v.endswith("\n") or not v
           else v.replace(folder, "%dir").split("\n") for k, v in got.items()}
    misses = [s for s in SECTIONS if not expect.matches(test.output[s], got[s])]
    got_path = pathlib.Path(f"{test.path}.got")
    if not misses and done.returncode == test.exit:
        got_path.unlink(missing_ok=True)
        return True
    proposal = {s: expect.merged(test.output[s], got[s]) if s in misses else test.output[s] for s in SECTIONS}
    if accept:
        test.path.write_text(test.text(done.returncode, proposal))
        return True
    got_path.write_text(test.text(done.returncode, proposal))
    print(f"FAIL {test.path}: {test.command}")
    if done.returncode != test.exit:
        print(f"exit {done.returncode}, expected {test.exit}")
    for section in misses:
        print(section + "\n" + expect.difference(test.output[section], got[section]))
    return False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True, help="folder of the assay to test")
    parser.add_argument("--accept", action="store_true")
    parser.add_argument("tests", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    bin_folder = checked_bin(options.bin)
    failed = [t for t in options.tests if not run(Test(t), bin_folder, options.accept)]
    print(f"{len(options.tests) - len(failed)} of {len(options.tests)} golden tests pass")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
