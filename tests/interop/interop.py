#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The prover beside circom and snarkjs: whatever one of them makes, the other accepts, and nobody accepts what was tampered with.

    interop.py GROUP --bin FOLDER --work FOLDER      FOLDER of --bin holds prover; GROUP is one of

    prepare       installs snarkjs, circom2 and circomlib (npm) and makes circuits, keys and proofs with them
    bn254, bls12_381   keys, witnesses and proofs of snarkjs, with our proofs and verdicts, on that curve
    flips         a bit changed in a proof, a public input, a verification key, a witness, a key
    native_keys   keys of `prover setup` and circuits of `prover circuit`, with snarkjs
    circomlib     Poseidon and SHA-256 of `prover circuit` beside those of circomlib
    manual        the steps of docs/manual/prover.md that need circom and snarkjs

One line a case; exit 1 when one fails. Exit 77 (skipped, with the reason) where Node, npm or its registry is missing.
"""
import argparse
import pathlib
import sys

import circuits_cases
import fixture
import flips
import manual
import peers
import proof_cases
from cases import Cases, Prover

SKIPPED = 77
GROUPS = {
    "prepare": lambda cases: cases.passed("programs of npm, circuits, keys and proofs are there"),
    "bn254": lambda cases: proof_cases.run(cases, "bn254"),
    "bls12_381": lambda cases: proof_cases.run(cases, "bls12-381"),
    "flips": flips.run,
    "native_keys": circuits_cases.run_native_keys,
    "circomlib": circuits_cases.run_circomlib,
    "manual": manual.run,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("group", choices=GROUPS)
    parser.add_argument("--bin", required=True, type=pathlib.Path, help="folder of the prover to run")
    parser.add_argument("--work", required=True, type=pathlib.Path, help="folder for npm's packages, keys and proofs")
    options = parser.parse_args()
    try:
        made = fixture.Fixture(options.work).prepare()
    except peers.Skip as why:
        print(f"SKIPPED: {why}\nThe prover was NOT tried with snarkjs and circom.", flush=True)
        return SKIPPED
    except peers.Failure as failure:
        print(f"FAIL  preparing: {failure}")
        return 1
    prover = options.bin.resolve() / "prover"
    cases = Cases(options.group, made, Prover(prover))
    GROUPS[options.group](cases)
    return cases.summary()


if __name__ == "__main__":
    sys.exit(main())
