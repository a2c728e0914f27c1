// SPDX-License-Identifier: Apache-2.0
#include "prover/engine/options.hpp"

#include <gtest/gtest.h>

namespace prover {
namespace {

TEST(Options, AutomaticCapacityIsTheLargerOfLookaheadAndProveWorkers) {
  EXPECT_EQ(Options{}.capacity(), 1u);
  EXPECT_EQ((Options{.prove_workers = 3, .lookahead = 2}.capacity()), 3u);
  EXPECT_EQ((Options{.prove_workers = 1, .lookahead = 4}.capacity()), 4u);
  EXPECT_EQ((Options{.prove_workers = 1, .lookahead = 0}.capacity()), 1u);
  EXPECT_EQ((Options{.prove_workers = 8, .lookahead = 4, .channel = 2}.capacity()), 2u);
}

TEST(Options, OutOfRangeNamesTheOption) {
  const struct {
    Options options;
    const char* text;
  } cases[] = {
      {{.partition_workers = 0}, "--partition-workers: 0 is out of range"},
      {{.prove_workers = 2000}, "--prove-workers: 2000 is out of range"},
      {{.channel = 0}, "--channel: 0 is out of range"},
      {{.slots = 0}, "--slots: 0 is out of range"},
      {{.synthesis_jobs = 0}, "--synthesis-jobs: 0 is out of range"},
      {{.batch = 0}, "--batch: 0 is out of range"},
      {{.memory_budget = 1u << 20, .resident_bytes = 1u << 20},
       "--memory-budget: 1 MiB are resident before the first job"},
  };
  for (const auto& one : cases) {
    const auto checked = check(one.options);
    ASSERT_FALSE(checked) << one.text;
    EXPECT_EQ(checked.error().to_text().rfind(one.text, 0), 0u) << checked.error().to_text();
    EXPECT_FALSE(checked.error().hint.empty());
  }
  EXPECT_TRUE(check(Options{}));
}

}  // namespace
}  // namespace prover
