// SPDX-License-Identifier: Apache-2.0
// No public signal at all: the proof says that two secret factors of a number are known.
pragma circom 2.0.0;

template Secret() {
    signal input p;
    signal input q;
    signal square;
    square <== p * p;
    square * q === 6137;
}

component main = Secret();
