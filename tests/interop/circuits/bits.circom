// SPDX-License-Identifier: Apache-2.0
// Wires that are 0 or 1, and constraints without a wire in common: what most witnesses consist of.
pragma circom 2.0.0;

template Bits(n) {
    signal input number;
    signal input mask[n];
    signal output masked;
    signal bit[n];
    signal kept[n];
    var sum = 0;
    var kept_sum = 0;
    for (var i = 0; i < n; i++) {
        bit[i] <-- (number >> i) & 1;
        bit[i] * (bit[i] - 1) === 0;
        mask[i] * (mask[i] - 1) === 0;
        kept[i] <== bit[i] * mask[i];
        sum += bit[i] * (1 << i);
        kept_sum += kept[i] * (1 << i);
    }
    sum === number;
    masked <== kept_sum;
}

component main = Bits(32);
