// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "suite/adapter.hpp"

namespace assay::suite {
namespace {

using Words = std::vector<std::string>;

TEST(ChainsafeAdapter, RunsFilesInTheirOrder) {
  const SuitePlan plan{.adapter = "chainsafe"};
  const auto adapter = make_chainsafe(plan);
  const Subject subject{.label = "s",
                        .argv = {"node", "node_modules/@chainsafe/benchmark/bin/index.js",
                                 "--maxMs", "100", "test/**/*.js", "x.mjs"}};
  const auto listings = adapter->listings(subject);
  ASSERT_TRUE(listings) << listings.error().to_text();
  EXPECT_EQ(listings->front().argv.back(), "x.mjs");
  EXPECT_EQ(*(listings->front().argv.end() - 2), "test/**/*.js");
  const auto units = adapter->read_listing(subject, Words{"test/b.js\nx.mjs\nx.mjs\n"});
  EXPECT_EQ(*units, (std::vector<SuiteUnit>{{"test/b.js", {}}, {"x.mjs", {}}}));
  const std::vector<const SuiteUnit*> asked = {&(*units)[1], &(*units)[0]};
  const auto made = adapter->invocation(subject, asked, "/r/results");
  EXPECT_EQ(made->argv, (Words{"node", "node_modules/@chainsafe/benchmark/bin/index.js", "--maxMs",
                               "100", "x.mjs", "test/b.js", "--noThrow=true", "--persist=false"}));
  ASSERT_EQ(made->files.size(), 1u);
  EXPECT_EQ(made->files[0].first, "/r/results.cjs");
  EXPECT_TRUE(made->env[0].second.ends_with("--require /r/results.cjs"));
  EXPECT_FALSE(adapter->listings({.label = "s", .argv = {"npx", "benchmark"}}));
  EXPECT_FALSE(adapter->read_listing(subject, Words{""}));
}

const char* const kTable =
    "  test/a.js\n"
    "    Sum\n"
    "\x1b[32m      \xE2\x9C\x94\x1b[0m sum array with reduce                                       "
    "     "
    "826.0701 ops/s    1.210551 ms/op        -          3 runs   1.21 s\n"
    "\x1b[31m      \xE2\x9C\x96\x1b[0m\x1b[31m too slow\x1b[0m\n"
    "Error: No run was completed\n    at runBenchFn\n"
    "\x1b[36m      - not today\x1b[0m\n"
    "  x.mjs\n"
    "\x1b[32m      \xE2\x9C\x94\x1b[0m a/b                                                         "
    "     "
    "1000000. ops/s    1.000000 us/op        -          2 runs  0.020 s\n";

TEST(ChainsafeAdapter, ReadsTheTableAndWhatTheScriptTells) {
  const auto adapter = make_chainsafe({.adapter = "chainsafe"});
  const std::string events =
      "{\"id\":\"sum array with "
      "reduce\",\"runs_ns\":\"1000000\\n1000000\\n1631653\",\"end_ms\":100}\n"
      "{\"id\":\"a/b\",\"runs_ns\":\"10000\\n10000\",\"end_ms\":200}\n"
      "torn\n"
      "{\"end\":true,\"start_heap\":4000000,\"heap\":9000000,\"limit\":2e9,\"gc_ms\":3,"
      "\"gcs\":[[97,1],[50,1],[99.5,0.5]]}\n";
  const Reading reading = adapter->read({.out = kTable, .results = events});
  ASSERT_EQ(reading.measurements.size(), 4u);
  EXPECT_EQ(reading.homes, (Words{"test/a.js", "test/a.js", "test/a.js", "x.mjs"}));
  const Measurement& sum = reading.measurements[0];
  EXPECT_EQ(sum.id, "sum array with reduce");
  EXPECT_DOUBLE_EQ(*sum.value, 1.210551e-3);
  EXPECT_EQ(sum.samples.size(), 3u);
  EXPECT_NEAR(*sum.total_s, 3.631653e-3, 1e-9);
  EXPECT_NEAR(*sum.setup_s, 1.21 - 3.631653e-3, 1e-9);
  EXPECT_NEAR(*sum.gc_s, 1.5e-3, 1e-9);  // the one at 50 ms was before the runs
  EXPECT_EQ(sum.memory_before, 4e6);
  EXPECT_EQ(reading.measurements[1].status, MeasurementStatus::failed);
  EXPECT_EQ(reading.measurements[1].id, "too slow");
  EXPECT_EQ(reading.measurements[1].message, "Error: No run was completed");
  EXPECT_EQ(reading.measurements[2].status, MeasurementStatus::skipped);
  const Measurement& last = reading.measurements[3];
  EXPECT_EQ(last.id, "a/b");
  // Ten turns a run.
  EXPECT_DOUBLE_EQ(last.samples.at(0), 1e-6);
  EXPECT_EQ(last.memory_after, 9e6);
  EXPECT_EQ(last.facts, (std::vector<Fact>{{"heap_limit", 2e9}}));
  EXPECT_EQ(reading.doubts, (Words{"1 lines of its results are malformed"}));
}

TEST(ChainsafeAdapter, KeepsWhatCameBeforeTheHeapRanFull) {
  const auto adapter = make_chainsafe({.adapter = "chainsafe"});
  const Reading reading =
      adapter->read({.err = "FATAL ERROR: ... JavaScript heap out of memory\n",
                     .results = "{\"id\":\"a\",\"runs_ns\":\"1000\",\"end_ms\":100}\n",
                     .exit = {Ending::signalled, 6}});
  ASSERT_EQ(reading.measurements.size(), 1u);
  EXPECT_DOUBLE_EQ(*reading.measurements[0].value, 1e-6);
  ASSERT_EQ(reading.doubts.size(), 1u);
  EXPECT_NE(reading.doubts[0].find("--max-old-space-size"), std::string::npos);
  EXPECT_FALSE(adapter->read({}).doubts.empty());
}

TEST(ChainsafeAdapter, IsGuessed) {
  EXPECT_EQ(guess_adapter({"npx", "benchmark", "a.ts"}), "chainsafe");
  EXPECT_EQ(guess_adapter({"node", "x.js"}), "chainsafe");
  EXPECT_EQ(guess_adapter({"./node_bench"}), "gbench");
  EXPECT_EQ(guess_adapter({}), "gbench");
}

}  // namespace
}  // namespace assay::suite
