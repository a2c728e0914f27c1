# SPDX-License-Identifier: Apache-2.0
"""Other people's programs that the prover is run beside: circom (circom2), snarkjs, circomlib's circuits.

They are installed by npm, from package-lock.json beside this file, into a work folder and never into the source tree. They
are GPL: they are only ever run, as programs. `Skip` is raised, with the reason, where Node, npm or its registry is not there.
"""
import contextlib
import fcntl
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
NODE = 18
TIMEOUT_S = 300
UNREACHABLE = re.compile(
    r"ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT"
    r"|code E40[137]\b|code E5\d\d\b|_CERT|npm (error|ERR!) network")
# Our name of a curve: circom's --prime, snarkjs's name in commands, snarkjs's name in `r1cs info`.
CURVES = {"bn254": ("bn128", "bn128", "bn-128"), "bls12-381": ("bls12381", "bls12-381", "bls12-381")}


class Skip(Exception):
    """What is needed is not on this machine."""


class Failure(Exception):
    """Something did what it must not do."""


def run(command, cwd=None, env=None, timeout=TIMEOUT_S):
    """A process that has ended, with .output: stdout and stderr together, without colours."""
    try:
        done = subprocess.run([str(word) for word in command], cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=timeout)
    except subprocess.TimeoutExpired:
        raise Failure(f"{shown(command)} did not end within {timeout} s") from None
    done.output = re.sub(r"\x1b\[[0-9;]*m", "", done.stdout.decode(errors="backslashreplace"))
    return done


def shown(command):
    return " ".join(os.path.basename(str(word)) for word in command)


def must(done):
    if done.returncode != 0:
        raise Failure(f"{shown(done.args)} ended with {done.returncode}: {done.output.strip()[-600:]}")
    return done


@contextlib.contextmanager
def locked(path):
    """One process at a time; whoever comes second finds the work done."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def check_node():
    for program in ("node", "npm"):
        if not shutil.which(program):
            raise Skip(f"{program} is not installed")
    found = re.match(r"v(\d+)\.", run(["node", "--version"]).output)
    if not found or int(found.group(1)) < NODE:
        raise Skip(f"node {NODE} or newer is needed")


class Peers:
    def __init__(self, work):
        self.work = pathlib.Path(work).resolve()
        self.modules = self.work / "node_modules"

    def install(self):
        """npm ci, when package-lock.json is not what is installed."""
        check_node()
        with locked(self.work / "install.lock"):
            wanted = hashlib.sha256((HERE / "package-lock.json").read_bytes()).hexdigest()
            stamp = self.work / "installed"
            if stamp.exists() and stamp.read_text() == wanted:
                return self
            stamp.unlink(missing_ok=True)
            for name in ("package.json", "package-lock.json", ".npmrc"):
                shutil.copy2(HERE / name, self.work / name)
            done = run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", "--fetch-retries=1"],
                       cwd=self.work)
            if done.returncode != 0:
                if UNREACHABLE.search(done.output):
                    raise Skip(f"npm cannot reach its registry:\n{done.output[-1500:]}")
                raise Failure(f"npm ci failed:\n{done.output[-4000:]}")
            stamp.write_text(wanted)
        return self

    def version(self, package):
        return json.loads((self.modules / package / "package.json").read_text())["version"]

    def snarkjs_command(self, *words):
        # What its command line does, with the memory that circuits of 2^18 need.
        return ["node", "--max-old-space-size=8192", self.modules / "snarkjs" / "build" / "cli.cjs", *words]

    def snarkjs(self, *words):
        return run(self.snarkjs_command(*words))

    def circom(self, source, out, curve="bn254", optimise="--O2"):
        """Compiles `source` into the folder `out`: NAME.r1cs and NAME_js/NAME.wasm."""
        out.mkdir(parents=True, exist_ok=True)
        # Its file system begins at the current folder, so the sources must lie below it.
        copy = out / source.name
        shutil.copy2(source, copy)
        return must(run(["node", self.modules / "circom2" / "cli.js", os.path.relpath(copy, self.work), "--r1cs", "--wasm", "--sym",
                         optimise, "--prime", CURVES[curve][0], "-l", "node_modules", "-o", os.path.relpath(out, self.work)],
                        cwd=self.work))

    def witness(self, folder, name, inputs, wtns):
        """The witness of the circuit `name` in `folder` for `inputs`, by circom's own calculator."""
        file = wtns.with_suffix(".input.json")
        file.write_text(json.dumps(inputs))
        return must(self.snarkjs("wtns", "calculate", folder / f"{name}_js" / f"{name}.wasm", file, wtns))

    def powers_of_tau(self, curve, power):
        """A file for circuits of up to 2^power rows: one contribution whose secret is in this line. For tests only."""
        final = self.work / f"{curve}-{power}.ptau"
        if not final.exists():
            first, second, part = (self.work / f"{curve}-{power}.{end}" for end in ("0.ptau", "1.ptau", "part.ptau"))
            must(self.snarkjs("powersoftau", "new", CURVES[curve][1], power, first))
            must(self.snarkjs("powersoftau", "contribute", first, second, "--name=test", "-e=no secret at all"))
            must(self.snarkjs("powersoftau", "prepare", "phase2", second, part))
            part.rename(final)
            first.unlink()
            second.unlink()
        return final

    def key(self, r1cs, ptau, zkey):
        """A proving key with one contribution, as people make them."""
        first = zkey.with_suffix(".0.zkey")
        must(self.snarkjs("groth16", "setup", r1cs, ptau, first))
        must(self.snarkjs("zkey", "contribute", first, zkey, "--name=test", "-e=no secret either"))
        first.unlink()

