#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of the test runners themselves: they must be able to fail."""
import os
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import expect  # noqa: E402
import golden  # noqa: E402
import run_manual  # noqa: E402


class Matches(unittest.TestCase):
    def test_table(self):
        cases = [
            (["a"], ["a"], True),
            (["a"], ["b"], False),
            (["a"], ["a", "b"], False),
            (["a", "b"], ["a"], False),
            ([], [], True),
            ([], ["x"], False),
            (["n %int"], ["n 12"], True),
            (["n %int"], ["n 1.5"], False),
            (["n %float ms"], ["n    -1.5 ms"], True),
            (["n %float ms"], ["n x ms"], False),
            (["n   %int   x"], ["n 1 x"], True),
            (["n   1   x"], ["n 1 x"], False),
            (["+%float % [%float, %float]"], ["+6.9 % [+5.1, +8.8]"], True),
            (["%any end"], ["what ever end"], True),
            (["%any end"], ["what ever"], False),
            (["..."], [], True),
            (["a", "...", "d"], ["a", "b", "c", "d"], True),
            (["a", "...", "d"], ["a", "b", "c"], False),
            (["...", "d", "..."], ["a", "d", "d", "e"], True),
            (["a (b)* %int"], ["a (b)* 4"], True),
        ]
        for expected, actual, result in cases:
            self.assertEqual(expect.matches(expected, actual), result, (expected, actual))

    def test_a_proposal_keeps_wildcards(self):
        self.assertEqual(expect.merged(["n %int", "x"], ["n 3", "y"]), ["n %int", "y"])


class Runners(unittest.TestCase):
    def check(self, text, function):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "it"
            path.write_text(text)
            saved, sys.stdout = sys.stdout, open(os.devnull, "w")
            try:
                return function(path)
            finally:
                sys.stdout.close()
                sys.stdout = saved

    def test_golden(self):
        def passes(text):
            return self.check(text, lambda path: golden.run(golden.Test(path), "/usr/bin", False))
        good = "setup: echo 5 > f\ncommand: cat f; pwd; echo oops >&2; exit 3\nexit: 3\n--- stdout\n%int\n%dir\n--- stderr\noops\n"
        self.assertTrue(passes(good))
        self.assertFalse(passes(good.replace("exit: 3", "exit: 0")))
        self.assertFalse(passes(good.replace("%int", "6")))
        self.assertFalse(passes(good.replace("\noops", "\n")))
        self.assertFalse(passes(good.replace("setup: echo", "setup: false; false &&")))

    def test_manual(self):
        def passes(text):
            return self.check(text, lambda path: run_manual.run(path, "/usr/bin"))
        good = "x\n```console\n$ cd /; echo a; false\na\n$ echo $?\n1\n$ cat <<E\n> b\n> E\nb\n```\n```sh\nnot run\n```\n"
        self.assertTrue(passes(good))
        self.assertFalse(passes(good.replace("\n1\n", "\n0\n")))
        self.assertFalse(passes(good.replace("E\nb\n", "E\nc\n")))
        figures = "```console figures\n$ echo 'wall  12.5 ms [+1, -2.0]  SLOWER stage2'\nwall 1,900 s  [+3, +4] SLOWER stage2\n```\n"
        self.assertTrue(passes(figures))
        self.assertFalse(passes(figures.replace(" figures", "")))
        self.assertFalse(passes(figures.replace("SLOWER stage2\n", "FASTER stage2\n")))
        self.assertFalse(passes(figures.replace("SLOWER stage2\n", "SLOWER stage3\n")))
        self.assertFalse(passes("```console\n$ exit 3\n$ true\n```\n"))
        # What depends on a real clock is tried again, and its numbers count.
        second = "<!-- hidden clock\n$ n=$ASSAY_MANUAL_PAGE.n; touch $n; cat $n | wc -l; echo >> $n\n1\n-->\n"
        self.assertTrue(passes(second))
        self.assertFalse(passes(second.replace(" clock", "")))
        self.assertFalse(passes(second.replace("\n1\n", "\n7\n")))


if __name__ == "__main__":
    unittest.main()
