# SPDX-License-Identifier: Apache-2.0
"""Our keys and our circuits: keys of `prover setup` in snarkjs's hands, circuits of `prover circuit` in snarkjs's and beside
circomlib's for the same input."""
import hashlib

import binary
import peers
from cases import expect
from fixture import load

# Circuits of ours: name, curve, options. snarkjs proves the small ones too; the last would take it half a minute.
NATIVE = (
    ("dense", "bn254", ("--constraints", "1000")),
    ("dense", "bls12-381", ("--constraints", "1000")),
    ("poseidon", "bn254", ("--depth", "3")),
    ("poseidon", "bls12-381", ("--depth", "3")),
    ("sha256", "bn254", ("--bits", "64")),
    ("porep", "bls12-381", ("--depth", "1")),
)
PATH_LEVELS = 3  # as in circuits/merkle_path.circom
# Wires of a level of `prover circuit poseidon`: the sibling, the left child, 240 of the hash.
LEVEL_WIRES = 242
MESSAGE_BITS = 512  # as in circuits/sha256.circom


class Ours:
    """The files of one circuit, in the group's folder."""

    def __init__(self, folder, name):
        self.name = name
        for what, end in (("r1cs", "r1cs"), ("wtns", "wtns"), ("zkey", "zkey"), ("vkey", "vkey.json"), ("proof", "proof.json"),
                          ("public", "public.json"), ("theirs", "theirs.vkey.json")):
            setattr(self, what, folder / f"{name}.{end}")


def build(cases, kind, curve, *options):
    files = Ours(cases.folder, f"{kind}-{curve}")
    cases.prover.must("circuit", kind, "--curve", curve, *options, "--r1cs", files.r1cs, "--wtns", files.wtns)
    return files


def setup(cases, files, r1cs):
    done = cases.prover.must("setup", r1cs, files.zkey)
    expect("setup does not say that the key is INSECURE", "INSECURE" in done.output, done.output)
    cases.prover.must("vkey", files.zkey, files.vkey)


def prove_and_verify(cases, files, wtns):
    peers.must(cases.prover.prove(files.zkey, wtns, files.proof, files.public))
    cases.prover_verifies(files.vkey, files.public, files.proof)
    cases.snarkjs_verifies(files.vkey, files.public, files.proof)


def with_snarkjs(cases, files, wtns):
    """snarkjs exports and proves with our key; both accept its proof."""
    peers.must(cases.snarkjs("zkey", "export", "verificationkey", files.zkey, files.theirs))
    expect("snarkjs exports another verification key than prover", load(files.theirs) == load(files.vkey))
    peers.must(cases.snarkjs("groth16", "prove", files.zkey, wtns, files.proof, files.public))
    cases.prover_verifies(files.vkey, files.public, files.proof)
    cases.snarkjs_verifies(files.vkey, files.public, files.proof)


def run_native_keys(cases):
    for curve in peers.CURVES:
        for theirs in cases.made.all_on(curve):
            files = Ours(cases.folder, f"{theirs.name}-{curve}")
            with cases.case(f"{theirs}: prover setup of circom's circuit; our proof"):
                setup(cases, files, theirs.r1cs)
                cases.prover.must("check", files.zkey)
                prove_and_verify(cases, files, theirs.wtns)
                expect("the publics differ from snarkjs's", load(files.public) == load(theirs.public))
            with cases.case(f"{theirs}: snarkjs proves with the key of prover setup"):
                with_snarkjs(cases, files, theirs.wtns)
    for kind, curve, options in NATIVE:
        name, files = f"prover circuit {kind} on {curve}", Ours(cases.folder, f"{kind}-{curve}")
        with cases.case(f"{name}: snarkjs reads circuit and witness, and finds it satisfied"):
            build(cases, kind, curve, *options)
            info = peers.must(cases.snarkjs("r1cs", "info", files.r1cs)).output
            expect("snarkjs names another curve", f"Curve: {peers.CURVES[curve][2]}" in info, info)
            check = peers.must(cases.snarkjs("wtns", "check", files.r1cs, files.wtns)).output
            expect("snarkjs does not find it satisfied", "WITNESS IS CORRECT" in check, check)
        with cases.case(f"{name}: our key, our proof"):
            setup(cases, files, files.r1cs)
            prove_and_verify(cases, files, files.wtns)
        if kind != "porep":
            with cases.case(f"{name}: our key, snarkjs's proof"):
                with_snarkjs(cases, files, files.wtns)


def theirs_for(cases, name, inputs):
    """circomlib's circuit in circuits/NAME.circom, compiled, with the witness for `inputs`: the files' paths."""
    tools, folder = cases.made.tools, cases.folder / f"{name}.circom.d"
    tools.circom(peers.HERE / "circuits" / f"{name}.circom", folder)
    wtns = folder / f"{name}.wtns"
    tools.witness(folder, name, inputs, wtns)
    return folder / f"{name}.r1cs", wtns


def run_circomlib(cases):
    poseidon(cases)
    sha256(cases)


def poseidon(cases):
    with cases.case("prover circuit poseidon: the root is that of circomlib's Poseidon"):
        native = build(cases, "poseidon", "bn254", "--depth", str(PATH_LEVELS))
        values = binary.witness_values(native.wtns.read_bytes())
        sides = values[2:2 + PATH_LEVELS]
        leaf = values[2 + PATH_LEVELS]
        siblings = values[3 + PATH_LEVELS::LEVEL_WIRES][:PATH_LEVELS]
        text = {"leaf": str(leaf), "is_right": [str(v) for v in sides], "sibling": [str(v) for v in siblings]}
        r1cs, wtns = theirs_for(cases, "merkle_path", text)
        root = binary.witness_values(wtns.read_bytes())[1]
        expect(f"roots differ: {values[1]}, circomlib's {root}", values[1] == root)
    with cases.case("prover circuit poseidon: a hash of 1 and 2 is the published one"):
        # Of circomlibjs and of the paper's reference: poseidon([1, 2]).
        published = 7853200120776062878684798364095072458815029376092732009249414926327459813530
        theirs = load(cases.made.files("bn254", "poseidon").public)
        expect("circomlib's differs", theirs == [str(published)])
    files = Ours(cases.folder, "circomlib-poseidon")
    with cases.case("circomlib's Poseidon: prover setup, prove and verify; snarkjs verifies"):
        setup(cases, files, r1cs)
        prove_and_verify(cases, files, wtns)
        expect("the public root differs", load(files.public) == [str(root)])


def sha256(cases):
    with cases.case("prover circuit sha256: the digest is that of circomlib's SHA-256, and of Python's"):
        native = build(cases, "sha256", "bn254", "--bits", str(MESSAGE_BITS))
        values = binary.witness_values(native.wtns.read_bytes())
        digest, message = values[1:257], values[257:257 + MESSAGE_BITS]
        r1cs, wtns = theirs_for(cases, "sha256", {"in": [str(bit) for bit in message]})
        expect("circomlib's digest differs", binary.witness_values(wtns.read_bytes())[1:257] == digest)
        of_python = hashlib.sha256(bytes_of(message)).digest()
        expect(f"Python's digest differs: {of_python.hex()}", bytes_of(digest) == of_python)
    files = Ours(cases.folder, "circomlib-sha256")
    with cases.case("circomlib's SHA-256: prover setup, prove and verify; snarkjs verifies"):
        setup(cases, files, r1cs)
        prove_and_verify(cases, files, wtns)
        expect("the public digest differs", load(files.public) == [str(bit) for bit in digest])
    with cases.case("prover circuit sha256: prover setup, prove and verify; snarkjs verifies"):
        setup(cases, native, native.r1cs)
        prove_and_verify(cases, native, native.wtns)
        expect("the public digest differs", load(native.public) == [str(bit) for bit in digest])


def bytes_of(bits):
    """Most significant bit first."""
    return bytes(int("".join(map(str, bits[at:at + 8])), 2) for at in range(0, len(bits), 8))
