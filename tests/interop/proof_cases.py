# SPDX-License-Identifier: Apache-2.0
"""Keys, witnesses and proofs that circom and snarkjs made, on one curve."""
import binary
import peers
from cases import INVALID, REFUSED, VALID, Prover, expect, expect_refused, expect_verdict
from fixture import load


def run(cases, curve):
    circuits = cases.made.all_on(curve)
    for files in circuits:
        one_circuit(cases, files)
    for files in circuits[:1]:
        settings(cases, files)
        strangers(cases, files)
    with cases.case(f"keys on {curve} had points at infinity in A, B1 and B2"):
        for section in (binary.A, binary.B1, binary.B2):
            expect(f"none in section {section}", any(binary.infinities(files.zkey.read_bytes(), section) for files in circuits))


def one_circuit(cases, files):
    prover, folder = cases.prover, cases.folder
    vkey, proof, public = (folder / f"{files.name}.{end}.json" for end in ("vkey", "proof", "public"))
    with cases.case(f"{files}: prover vkey writes what snarkjs exports"):
        prover.must("vkey", files.zkey, vkey)
        expect("the files differ", load(vkey) == load(files.vkey))
    with cases.case(f"{files}: prover verifies snarkjs's proof"):
        cases.prover_verifies(files.vkey, files.public, files.proof)
    with cases.case(f"{files}: snarkjs and prover verify our proof"):
        peers.must(prover.prove(files.zkey, files.wtns, proof, public))
        expect("public.json differs from snarkjs's", load(public) == load(files.public))
        expect("proof.json has other members than snarkjs's", shape(load(proof)) == shape(load(files.proof)))
        cases.snarkjs_verifies(files.vkey, public, proof)
        cases.prover_verifies(files.vkey, public, proof)
    with cases.case(f"{files}: info and check accept snarkjs's files"):
        for file in (files.zkey, files.wtns, files.r1cs, files.vkey, files.proof, files.public):
            prover.must("info", file)
        prover.must("check", files.zkey)


def shape(value):
    """Types, members and lengths, without the numbers."""
    if isinstance(value, dict):
        return {name: shape(member) for name, member in value.items()}
    if isinstance(value, list):
        return [shape(member) for member in value]
    return type(value).__name__


def settings(cases, files):
    proof, public = cases.folder / "set.proof.json", cases.folder / "set.public.json"
    for isa in ("portable", "adx", "ifma"):
        with cases.case(f"{files}: PROVER_ISA={isa}"):
            report = cases.folder / "report.json"
            done = Prover(cases.prover.path, {"PROVER_ISA": isa}).prove(files.zkey, files.wtns, proof, public, "--json", report)
            if done.returncode == REFUSED and isa in done.output:
                print(f"      this machine has no {isa}: {done.output.strip().splitlines()[0]}")
            else:
                expect_verdict(done, VALID)
                expect("other instructions were used", load(report)["isa"] == isa)
                cases.snarkjs_verifies(files.vkey, public, proof)
    with cases.case(f"{files}: PROVER_ISA with a word that is none is refused"):
        expect_refused(Prover(cases.prover.path, {"PROVER_ISA": "mmx"}).prove(files.zkey, files.wtns, proof, public), "PROVER_ISA")
    for threads in ("1", "2", "7"):
        with cases.case(f"{files}: --threads {threads}"):
            peers.must(cases.prover.prove(files.zkey, files.wtns, proof, public, "--threads", threads))
            cases.prover_verifies(files.vkey, public, proof)
    with cases.case(f"{files}: two proofs of the same witness have no point in common"):
        first = load(proof)
        peers.must(cases.prover.prove(files.zkey, files.wtns, proof, public))
        for point in ("pi_a", "pi_b", "pi_c"):
            expect(f"{point} is the same twice", first[point] != load(proof)[point])
    with cases.case(f"{files}: --check-witness accepts a witness that satisfies the circuit"):
        peers.must(cases.prover.prove(files.zkey, files.wtns, proof, public, "--check-witness", files.r1cs))


def strangers(cases, files):
    """What belongs to another circuit or to another curve."""
    prover, folder = cases.prover, cases.folder
    proof, public = folder / "other.proof.json", folder / "other.public.json"
    other = cases.made.files(files.curve, "secret")
    foreign = cases.made.files(next(c for c in peers.CURVES if c != files.curve), files.name)
    for what, stranger in (("circuit", other), ("curve", foreign)):
        with cases.case(f"{files}: a witness of another {what} is refused"):
            expect_refused(prover.prove(files.zkey, stranger.wtns, proof, public), stranger.wtns.name)
            expect("a proof was written", not proof.exists() and not public.exists())
        with cases.case(f"{files}: a proof of another {what} is refused"):
            done = prover.verify(files.vkey, files.public, stranger.proof)
            expect(f"exit {done.returncode}", done.returncode in (INVALID, REFUSED), done.output)
        with cases.case(f"{files}: a verification key of another {what} is refused"):
            done = prover.verify(stranger.vkey, files.public, files.proof)
            expect(f"exit {done.returncode}", done.returncode in (INVALID, REFUSED), done.output)
        with cases.case(f"{files}: public inputs of another {what} are refused"):
            if what == "circuit":
                expect_refused(prover.verify(files.vkey, stranger.public, files.proof), stranger.public.name)
            else:
                expect_verdict(prover.verify(stranger.vkey, files.public, files.proof), REFUSED)
    with cases.case(f"{files}: --check-witness names the constraint that fails"):
        wrong = folder / "wrong.wtns"
        data = bytearray(files.wtns.read_bytes())
        data[-32] ^= 2  # the last wire: a step of the product
        wrong.write_bytes(data)
        done = prover.prove(files.zkey, wrong, proof, public, "--check-witness", files.r1cs)
        expect_refused(done, "wrong.wtns", "constraint")
    for end, make in (("missing", lambda path: None), ("empty", lambda path: path.write_bytes(b"")),
                      ("a folder", lambda path: path.mkdir()), ("text", lambda path: path.write_text("hello\n"))):
        for place, name in ((0, "KEY"), (1, "WITNESS")):
            with cases.case(f"{files}: {name} that is {end} is refused"):
                path = folder / f"no-{name}-{end.replace(' ', '-')}"
                make(path)
                words = [files.zkey, files.wtns]
                words[place] = path
                expect_refused(prover.prove(*words, proof, public), path.name)
