# SPDX-License-Identifier: Apache-2.0
"""One bit changed, in every file that the prover reads. It must be noticed, with exit 1 or 2 and a reason that names the file (and
for a key and a witness, where it can be known, the section); there must be no proof, and never a crash.

By default `prover prove` verifies what it proved before it writes it, so a key or a witness that was changed in a way no check of
the file can see still ends without a proof. What changes nothing that a proof depends on may pass: then the proof must verify
with the verification key as it was.
"""
import concurrent.futures
import copy
import json
import os
import random
import re
import threading

import binary
import peers
from cases import INVALID, REFUSED, VALID, expect, expect_refused, expect_verdict
from fixture import load
from peers import Failure

SEED = 20
SAMPLES = 24  # flips in each section of a key
SHOWN = 5  # failures of one case that are printed
SELF_CHECK = re.compile(r"verif|satisf", re.IGNORECASE)


def run(cases):
    for curve in peers.CURVES:
        files = cases.made.files(curve, "multiplier")
        flips = Flips(cases, files)
        flips.proofs()
        flips.publics()
        flips.verification_keys()
        flips.json_bytes()
        flips.witnesses()
        flips.keys()


class Flips:
    def __init__(self, cases, files):
        self.cases, self.files, self.prover = cases, files, cases.prover
        self.random = random.Random(SEED)
        self.places = threading.local()
        self.names = iter(range(1000))

    def folder(self):
        """A folder of this thread."""
        if not hasattr(self.places, "folder"):
            self.places.folder = self.cases.folder / f"thread{next(self.names)}"
            self.places.folder.mkdir(exist_ok=True)
        return self.places.folder

    def all(self, name, variants, check):
        """One case out of many: check(variant) for each (what, ...) of `variants`, all of which must hold."""
        with self.cases.case(f"{self.files}: {name} ({len(variants)} flips)"):
            wrong, lock = [], threading.Lock()

            def one(variant):
                try:
                    check(*variant[1:])
                except Failure as failure:
                    with lock:
                        wrong.append(f"\n      {variant[0]}: {failure}")

            with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
                list(pool.map(one, variants))
            expect(f"{len(wrong)} of {len(variants)} are not as they must be{''.join(sorted(wrong)[:SHOWN])}", variants and not wrong)

    # --- what `verify` reads ------------------------------------------------------------------------------------

    def verify_with(self, vkey=None, public=None, proof=None):
        """Verifies with the given texts in place of the fixture's files."""
        paths = {"vkey": self.files.vkey, "public": self.files.public, "proof": self.files.proof}
        for name, text in (("vkey", vkey), ("public", public), ("proof", proof)):
            if text is not None:
                paths[name] = self.folder() / f"flipped.{name}.json"
                paths[name].write_text(text)
        return self.prover.verify(paths["vkey"], paths["public"], paths["proof"])

    def refuse(self, name, document):
        done = self.verify_with(**{name: json.dumps(document)})
        expect(f"exit {done.returncode}", done.returncode in (INVALID, REFUSED), done.output)
        if done.returncode == REFUSED:
            expect("the message does not name the file", f"flipped.{name}.json" in done.output, done.output)

    def flipped_numbers(self, document, per_number, skip=()):
        """(what, document with one bit of one number changed)"""
        for path, text in numbers(document):
            if path[0] in skip:
                continue
            value = int(text)
            bits = {0, max(value.bit_length() - 1, 0), *(self.random.randrange(max(value.bit_length(), 2)) for _ in range(per_number))}
            for bit in sorted(bits):
                yield f"{'.'.join(map(str, path))} bit {bit}", replaced(document, path, str(value ^ (1 << bit)))

    def proofs(self):
        proof = load(self.files.proof)
        self.all("a bit of a number of proof.json", list(self.flipped_numbers(proof, 3)), lambda changed: self.refuse("proof", changed))
        prime, _ = binary.key_primes(self.files.zkey.read_bytes())
        variants = []
        for path, text in numbers(proof):
            name = ".".join(map(str, path))
            for what, number in (("+ q", str(int(text) + prime)), ("negative", "-" + text), ("hexadecimal", hex(int(text))), ("empty", "")):
                variants.append((f"{name} {what}", replaced(proof, path, number)))
        variants.append(("pi_a negated", replaced(proof, ["pi_a", 1], str(prime - int(proof["pi_a"][1])))))
        variants.append(("pi_a for pi_c", {**proof, "pi_a": proof["pi_c"], "pi_c": proof["pi_a"]}))
        variants.append(("all infinity", {**proof, "pi_a": ["0", "1", "0"], "pi_c": ["0", "1", "0"], "pi_b": [["0", "0"], ["1", "0"], ["0", "0"]]}))
        variants.append(("another protocol", {**proof, "protocol": "plonk"}))
        variants += [(f"without {name}", {k: v for k, v in proof.items() if k != name}) for name in ("pi_a", "pi_b", "pi_c")]
        self.all("a proof with other forms of its numbers", variants, lambda changed: self.refuse("proof", changed))

    def publics(self):
        public = load(self.files.public)
        self.all("a bit of public.json", list(self.flipped_numbers(public, 6)), lambda changed: self.refuse("public", changed))
        _, order = binary.key_primes(self.files.zkey.read_bytes())
        variants = [(f"{i} + r", public[:i] + [str(int(v) + order)] + public[i + 1:]) for i, v in enumerate(public)]
        variants += [("one less", public[:-1]), ("one more", [*public, "0"]), ("none", []), ("no list", {"0": "1"}), ("swapped", public[::-1])]
        self.all("public.json with values beyond r, too few, too many", variants, lambda changed: self.refuse("public", changed))

    def verification_keys(self):
        vkey = load(self.files.vkey)
        self.all("a bit of a number of verification_key.json", list(self.flipped_numbers(vkey, 0, skip=("nPublic", "vk_alphabeta_12"))),
                 lambda changed: self.refuse("vkey", changed))
        variants = [("nPublic", {**vkey, "nPublic": vkey["nPublic"] + 1}), ("a point less in IC", {**vkey, "IC": vkey["IC"][:-1]}),
                    ("another protocol", {**vkey, "protocol": "plonk"})]
        self.all("verification_key.json with other counts", variants, lambda changed: self.refuse("vkey", changed))

    def json_bytes(self):
        """Any byte of the texts: refused, or nothing that matters changed (white space, the name of an unknown member)."""
        for name, file, keep in (("proof", self.files.proof, ("pi_a", "pi_b", "pi_c")), ("public", self.files.public, None)):
            text = file.read_bytes()
            places = [(at, self.random.randrange(7)) for at in self.random.sample(range(len(text)), min(80, len(text)))]

            def check(at, bit, name=name, text=text, keep=keep):
                changed = bytearray(text)
                changed[at] ^= 1 << bit
                done = self.verify_with(**{name: changed.decode()})
                if done.returncode == VALID:
                    expect("accepted", same(text, changed, keep), done.output)

            self.all(f"a bit of the text of {file.name}", [(f"byte {at} bit {bit}", at, bit) for at, bit in places], check)

    # --- what `prove` reads -------------------------------------------------------------------------------------

    def prove_with(self, zkey=None, wtns=None):
        """(the process, the proof's path, the publics' path), from the given bytes in place of the fixture's files."""
        folder, paths = self.folder(), {"zkey": self.files.zkey, "wtns": self.files.wtns}
        for name, data in (("zkey", zkey), ("wtns", wtns)):
            if data is not None:
                paths[name] = folder / f"flipped.{name}"
                paths[name].write_bytes(data)
        proof, public = folder / "proof.json", folder / "public.json"
        for path in (proof, public):
            path.unlink(missing_ok=True)
        done = self.prover.prove(paths["zkey"], paths["wtns"], proof, public, "--threads", "1")
        if done.returncode != VALID:
            expect("a proof was left behind", not proof.exists() and not public.exists(), done.output)
        return done, proof, public

    def flip(self, data, at, bit):
        changed = bytearray(data)
        changed[at] ^= 1 << bit
        return bytes(changed)

    def bits_of(self, places):
        return [(f"byte {at}", at, self.random.randrange(8)) for at in places]

    def witnesses(self):
        data = self.files.wtns.read_bytes()
        place = binary.sections(data)
        header = [*binary.table_bytes(data), *range(place[1][0], sum(place[1]))]

        def refused_header(at, bit):
            done, _, _ = self.prove_with(wtns=self.flip(data, at, bit))
            expect_refused(done, "flipped.wtns")

        self.all("each byte of the witness's header and table", self.bits_of(header), refused_header)

        def refused_value(at, bit):
            done, _, _ = self.prove_with(wtns=self.flip(data, at, bit))
            expect_refused(done, ".wtns" if bit_is_above_prime(at, bit) else "")
            expect("the message does not say why", ".wtns" in done.output or SELF_CHECK.search(done.output), done.output)

        begin, size = place[2]

        def bit_is_above_prime(at, bit):
            return (at - begin) % 32 == 31 and bit == 7

        publics, wires = len(load(self.files.public)), size // 32
        for what, first, last in (("the constant 1", 0, 1), ("public wires", 1, publics + 1), ("private wires", publics + 1, wires)):
            variants = [(f"wire {wire} bit {bit}", begin + 32 * wire + bit // 8, bit % 8)
                        for wire in range(first, last) for bit in sorted({0, 255, *(self.random.randrange(256) for _ in range(4))})]
            self.all(f"a bit of {what} of the witness", variants, refused_value)
        self.all("the witness, cut short or longer", [(f"{n} bytes", data[:n]) for n in (4, 11, 12, 23, 40, 76, len(data) - 1)] +
                 [("one byte more", data + b"\0")], lambda changed: expect_refused(self.prove_with(wtns=changed)[0], "flipped.wtns"))

    def keys(self):
        data = self.files.zkey.read_bytes()
        place = binary.sections(data)

        def refused(words):
            def check(at, bit):
                done, _, _ = self.prove_with(zkey=self.flip(data, at, bit))
                expect_refused(done, *words)
            return check

        def refused_or_harmless(at, bit):
            """Not every bit can be seen in the file, and not every bit matters to this witness."""
            done, proof, public = self.prove_with(zkey=self.flip(data, at, bit))
            if done.returncode == VALID:
                expect_verdict(self.prover.verify(self.files.vkey, public, proof), VALID)
            else:
                expect_refused(done)
                expect("the message does not say why", "flipped.zkey" in done.output or SELF_CHECK.search(done.output), done.output)

        # Without its id, section 10 is one more that nobody knows.
        unused = [place[binary.CONTRIBUTIONS][0] + at for at in range(-12, -8)]
        self.all("each byte of the key's magic, version, ids and sizes",
                 self.bits_of(at for at in binary.table_bytes(data) if at not in unused), refused(["flipped.zkey"]))
        self.all("the id of section 10 of the key", self.bits_of(unused), refused_or_harmless)
        # A count of the header does not fit a section, whichever of the two is wrong.
        for number, words in ((binary.PROTOCOL, "section 1"), (binary.HEADER, "section")):
            self.all(f"each byte of section {number} of the key", self.bits_of(range(place[number][0], sum(place[number]))),
                     refused(["flipped.zkey", words]))
        for number in (binary.IC, binary.A, binary.B1, binary.B2, binary.C, binary.H):
            sample = sorted(self.random.sample(range(place[number][0], sum(place[number])), SAMPLES))
            self.all(f"points of section {number} of the key", self.bits_of(sample), refused(["flipped.zkey", f"section {number}"]))
        for number in (binary.COEFFICIENTS, binary.CONTRIBUTIONS):
            sample = sorted(self.random.sample(range(place[number][0], sum(place[number])), 2 * SAMPLES))
            self.all(f"section {number} of the key", self.bits_of(sample), refused_or_harmless)
        self.all("points of the key that `prover check` sees", self.bits_of(
            place[number][0] + self.random.randrange(place[number][1]) for number in (2, 3, 5, 6, 7, 8, 9)), self.checked(data, place))
        self.all("the key, cut short or longer", [(f"{n} bytes", data[:n]) for n in (4, 11, 12, 23, 700, len(data) // 2, len(data) - 1)] +
                 [("one byte more", data + b"\0")], lambda changed: expect_refused(self.prove_with(zkey=changed)[0], "flipped.zkey"))

    def checked(self, data, place):
        def check(at, bit):
            path = self.folder() / "checked.zkey"
            path.write_bytes(self.flip(data, at, bit))
            number = next(n for n, (begin, size) in place.items() if begin <= at < begin + size)
            expect_refused(self.prover("check", path), "checked.zkey", f"section {number}")
        return check


def numbers(document, path=()):
    """(path, text) of every number of a JSON document."""
    items = document.items() if isinstance(document, dict) else enumerate(document)
    for name, value in items:
        if isinstance(value, (dict, list)):
            yield from numbers(value, (*path, name))
        elif isinstance(value, str) and value.isdigit():
            yield [*path, name], value


def replaced(document, path, value):
    changed = copy.deepcopy(document)
    inner = changed
    for name in path[:-1]:
        inner = inner[name]
    inner[path[-1]] = value
    return changed


def same(before, after, keep):
    """The texts hold the same numbers. None of `keep` means all."""
    try:
        old, new = json.loads(before), json.loads(after)
    except ValueError:
        return False
    return old == new if keep is None else all(old.get(name) == new.get(name) for name in keep)
