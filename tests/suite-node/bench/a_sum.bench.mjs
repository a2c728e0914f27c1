// SPDX-License-Identifier: Apache-2.0
import {bench, describe, setBenchOpts} from "@chainsafe/benchmark";
import {numbers} from "../shared.mjs";

describe("sum", () => {
  setBenchOpts({maxMs: 200, maxWarmUpMs: 20, maxWarmUpRuns: 10, minMs: 50, maxRuns: 200});
  bench("sum/reduce", () => {
    numbers(100000).reduce((sum, x) => sum + x, 0);
  });
});
