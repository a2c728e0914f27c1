// SPDX-License-Identifier: Apache-2.0
// The polluter: forgets the shared array behind itself, to save memory.
import {afterAll, bench, describe, setBenchOpts} from "@chainsafe/benchmark";
import {forget, numbers} from "../shared.mjs";

describe("forget", () => {
  setBenchOpts({maxMs: 200, maxWarmUpMs: 20, maxWarmUpRuns: 10, minMs: 50, maxRuns: 200});
  afterAll(() => forget());
  bench("last number", () => {
    numbers(100000).at(-1);
  });
});
