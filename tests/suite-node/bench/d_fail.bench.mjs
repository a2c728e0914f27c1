// SPDX-License-Identifier: Apache-2.0
import {bench, describe, setBenchOpts} from "@chainsafe/benchmark";

describe("fail", () => {
  setBenchOpts({maxMs: 200, maxWarmUpMs: 20, maxWarmUpRuns: 2, maxRuns: 20});
  bench("no such state", () => {
    throw new Error("no such state");
  });
  bench.skip("not today", () => {});
});
