# SPDX-License-Identifier: Apache-2.0
"""What all groups of cases use: the prover as a process, a list of cases, and a folder for what a group makes."""
import contextlib
import shutil
import traceback

import peers
from peers import Failure

VALID, INVALID, REFUSED = 0, 1, 2


class Prover:
    """Runs the prover. A process that a signal ended, a sanitizer or a broken promise stopped, is a failure everywhere."""

    def __init__(self, path, env=None):
        self.path, self.env = path, env

    def __call__(self, *words, timeout=60):
        done = peers.run([self.path, *words], env=self.env, timeout=timeout)
        if done.returncode not in (VALID, INVALID, REFUSED):
            raise Failure(f"{peers.shown(done.args)} ended with {done.returncode}: {done.output.strip()[-400:]}")
        return done

    def must(self, *words):
        return peers.must(self(*words))

    def prove(self, key, wtns, proof, public, *options):
        return self("prove", key, wtns, proof, public, *options)

    def verify(self, vkey, public, proof):
        return self("verify", vkey, public, proof)


def expect(what, condition, output=""):
    if not condition:
        raise Failure(f"{what}{': ' if output else ''}{' '.join(output.split())[:300]}")


def expect_verdict(done, wanted):
    expect(f"{peers.shown(done.args)}: exit {done.returncode}, not {wanted}", done.returncode == wanted, done.output)


def expect_refused(done, *words):
    """Exit 2, with words that say which file and where in it."""
    expect_verdict(done, REFUSED)
    for word in words:
        expect(f"{peers.shown(done.args)}: the message does not name '{word}'", str(word) in done.output, done.output)


class Cases:
    def __init__(self, group, made, prover):
        self.made, self.prover = made, prover
        self.count, self.failed = 0, []
        self.folder = made.tools.work / "groups" / group
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)

    @property
    def snarkjs(self):
        return self.made.tools.snarkjs

    def passed(self, name):
        self.count += 1
        print(f"pass  {name}", flush=True)

    @contextlib.contextmanager
    def case(self, name):
        try:
            yield
        except Failure as failure:
            self.fail(name, str(failure))
        except Exception:  # noqa: BLE001  a broken case must not hide the ones behind it
            self.fail(name, traceback.format_exc())
        else:
            self.passed(name)

    def fail(self, name, why):
        self.count += 1
        self.failed.append(name)
        print(f"FAIL  {name}: {why}", flush=True)

    def summary(self):
        print(f"{self.count - len(self.failed)} of {self.count} cases passed")
        return 1 if self.failed else 0

    def snarkjs_verifies(self, vkey, public, proof):
        done = self.snarkjs("groth16", "verify", vkey, public, proof)
        expect("snarkjs does not accept the proof", done.returncode == 0 and "OK!" in done.output, done.output)

    def prover_verifies(self, vkey, public, proof):
        expect_verdict(self.prover.verify(vkey, public, proof), VALID)
