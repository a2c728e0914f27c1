# SPDX-License-Identifier: Apache-2.0
"""Our keys and our circuits: keys of `prover setup` in snarkjs's hands, circuits of `prover circuit` beside circomlib's."""
import fixture
import peers
from cases import expect


def run_native_keys(cases):
    pass


def run_circomlib(cases):
    pass
