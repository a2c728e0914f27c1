// SPDX-License-Identifier: Apache-2.0
// A path of n levels to the public root, as `prover circuit poseidon` builds it.
pragma circom 2.0.0;

include "circomlib/circuits/poseidon.circom";

template MerklePath(n) {
    signal input leaf;
    signal input is_right[n];
    signal input sibling[n];
    signal output root;
    signal node[n + 1];
    signal left[n];
    component hash[n];
    node[0] <== leaf;
    for (var i = 0; i < n; i++) {
        is_right[i] * (is_right[i] - 1) === 0;
        left[i] <== node[i] + is_right[i] * (sibling[i] - node[i]);
        hash[i] = Poseidon(2);
        hash[i].inputs[0] <== left[i];
        hash[i].inputs[1] <== node[i] + sibling[i] - left[i];
        node[i + 1] <== hash[i].out;
    }
    root <== node[n];
}

component main = MerklePath(3);
