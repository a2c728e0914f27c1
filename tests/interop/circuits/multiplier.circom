// SPDX-License-Identifier: Apache-2.0
// A product of public factors with one secret one, and a public result.
pragma circom 2.0.0;

template Multiplier(n) {
    signal input secret;
    signal input factor[n];
    signal output product;
    signal step[n + 1];
    step[0] <== secret;
    for (var i = 0; i < n; i++) step[i + 1] <== step[i] * factor[i] + i;
    product <== step[n];
}

component main {public [factor]} = Multiplier(8);
