// SPDX-License-Identifier: Apache-2.0
// Many public signals: n public inputs and n outputs, scaled by a secret.
pragma circom 2.0.0;

template Tally(n) {
    signal input weight;
    signal input vote[n];
    signal output weighted[n];
    for (var i = 0; i < n; i++) weighted[i] <== weight * vote[i];
}

component main {public [vote]} = Tally(60);
