# SPDX-License-Identifier: Apache-2.0
"""Circuits in circom, and for each, on each curve, a key, a witness and a proof that only circom and snarkjs had a hand in.

They are made once in a work folder and kept until something in this folder changes. FOLDER/CURVE/NAME.r1cs, .zkey,
.wtns, .vkey.json, .proof.json and .public.json. The powers of tau have a published secret: they are for tests.
"""
import concurrent.futures
import hashlib
import json
import shutil

import peers

# Keys by snarkjs are for circuits of up to 2^8 rows: preparing larger powers of tau takes it minutes.
POWER = 8
BOTH = tuple(peers.CURVES)
# Name: curves, input. No wire of the multiplier is 0 or of little weight, so that each of its bits matters.
CIRCUITS = {
    "multiplier": (BOTH, {"secret": "19088743", "factor": [str(3**i + 2) for i in range(8)]}),
    "secret": (BOTH, {"p": "19", "q": "17"}),
    "tally": (BOTH, {"weight": "5", "vote": [str(i * i * i) for i in range(60)]}),
    "bits": (BOTH, {"number": "3735928559", "mask": [str(i % 3 % 2) for i in range(32)]}),
    "poseidon": (("bn254",), {"inputs": ["1", "2"]}),
}


class Files:
    """The files of one circuit on one curve."""

    def __init__(self, folder, curve, name):
        self.curve, self.name = curve, name
        for what, end in (("r1cs", "r1cs"), ("zkey", "zkey"), ("wtns", "wtns"), ("vkey", "vkey.json"), ("proof", "proof.json"),
                          ("public", "public.json")):
            setattr(self, what, folder / curve / f"{name}.{end}")

    def __str__(self):
        return f"{self.name} on {self.curve}"


def digest_of_sources():
    digest = hashlib.sha256()
    for path in [*sorted((peers.HERE / "circuits").iterdir()), peers.HERE / "peers.py", peers.HERE / "fixture.py",
                 peers.HERE / "package-lock.json"]:
        digest.update(path.read_bytes())
    return digest.hexdigest()


def make(tools, folder, curve):
    ptau = tools.powers_of_tau(curve, POWER)
    for name, (curves, inputs) in CIRCUITS.items():
        if curve not in curves:
            continue
        files = Files(folder, curve, name)
        compiled = folder / curve / f"{name}.circom.d"
        tools.circom(peers.HERE / "circuits" / f"{name}.circom", compiled, curve)
        shutil.move(compiled / f"{name}.r1cs", files.r1cs)
        tools.witness(compiled, name, inputs, files.wtns)
        tools.key(files.r1cs, ptau, files.zkey)
        peers.must(tools.snarkjs("zkey", "export", "verificationkey", files.zkey, files.vkey))
        peers.must(tools.snarkjs("groth16", "prove", files.zkey, files.wtns, files.proof, files.public))


class Fixture:
    def __init__(self, work):
        self.tools = peers.Peers(work)
        self.folder = self.tools.work / "keys"

    def prepare(self):
        self.tools.install()
        with peers.locked(self.tools.work / "keys.lock"):
            stamp, wanted = self.folder / "made_of", digest_of_sources()
            if not stamp.exists() or stamp.read_text() != wanted:
                shutil.rmtree(self.folder, ignore_errors=True)
                self.folder.mkdir(parents=True)
                with concurrent.futures.ThreadPoolExecutor() as pool:
                    for done in [pool.submit(make, self.tools, self.folder, curve) for curve in peers.CURVES]:
                        done.result()
                stamp.write_text(wanted)
        return self

    def files(self, curve, name):
        return Files(self.folder, curve, name)

    def all_on(self, curve):
        return [self.files(curve, name) for name, (curves, _) in CIRCUITS.items() if curve in curves]


def load(path):
    return json.loads(path.read_text())
