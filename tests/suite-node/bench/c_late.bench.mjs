// SPDX-License-Identifier: Apache-2.0
// The victim: builds the shared array inside its timing when it is not there.
import {bench, describe, setBenchOpts} from "@chainsafe/benchmark";
import {numbers} from "../shared.mjs";

describe("late", () => {
  setBenchOpts({maxMs: 200, maxWarmUpMs: 0, maxWarmUpRuns: 0, maxRuns: 3, minRuns: 1});
  bench("first number", () => {
    numbers(2000000).at(0);
  });
});
