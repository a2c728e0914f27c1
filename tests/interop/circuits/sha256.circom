// SPDX-License-Identifier: Apache-2.0
pragma circom 2.0.0;

include "circomlib/circuits/sha256/sha256.circom";

component main = Sha256(512);
