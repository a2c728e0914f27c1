// SPDX-License-Identifier: Apache-2.0
#include "results/test_support.hpp"

namespace assay::results {
namespace {

TEST(Chainsafe, HistoryIsOneNumberABenchmark) {
  const auto file = read(
      "#,commit,ab12\nid,averageNs,runsDone,totalMs,threshold\nplain,1348118,371,501,3\n"
      "\"with \"\"quotes\"\", comma\nand line\",16896469,128,2163,\n",
      "history.csv");
  ASSERT_TRUE(file) << file.error().to_text();
  EXPECT_EQ(file->format, "chainsafe");
  ASSERT_EQ(file->context.size(), 1u);
  EXPECT_EQ(file->context[0].second, "ab12");
  const Series* plain = find_series(*file, "plain");
  ASSERT_NE(plain, nullptr);
  EXPECT_DOUBLE_EQ(plain->processes[0].values[0], 1348118e-9);
  EXPECT_EQ(plain->processes[0].iterations, (std::vector<double>{371}));
  EXPECT_DOUBLE_EQ(*plain->processes[0].total_s, 0.501);
  EXPECT_NE(find_series(*file, "with \"quotes\", comma\nand line"), nullptr);
  EXPECT_TRUE(has_doubt(file->doubts, "single-number"));
  EXPECT_FALSE(has_doubt(plain->doubts, "setup-in-total"));
}

TEST(Chainsafe, SetupInsideTheBudgetIsDoubted) {
  const auto file = read("id,averageNs,runsDone,totalMs\nslow,1000000,3,60000\n", "f");
  ASSERT_TRUE(file);
  EXPECT_TRUE(has_doubt(file->series[0].doubts, "setup-in-total"));
}

TEST(Chainsafe, RawIsAnIterationALine) {
  const auto file = read("400\n300\n350", "dir/process slots.csv");
  ASSERT_TRUE(file) << file.error().to_text();
  ASSERT_EQ(file->series.size(), 1u);
  EXPECT_EQ(file->series[0].id, "process slots");
  EXPECT_EQ(file->series[0].level, Level::iteration);
  EXPECT_EQ(file->series[0].processes[0].values.size(), 3u);
  EXPECT_DOUBLE_EQ(file->series[0].processes[0].values[1], 300e-9);
}

TEST(Chainsafe, TheOlderJsonHoldsManyBuilds) {
  const auto file = read(
      R"({"benchmarks": {"main": [
        {"commitSha": "aa", "results": [{"id": "x", "averageNs": 10, "runsDone": 5, "totalMs": 1}]},
        {"commitSha": "bb", "results": [{"id": "x", "averageNs": 20, "runsDone": 5, "totalMs": 1}]}]}})",
      "f");
  ASSERT_TRUE(file) << file.error().to_text();
  ASSERT_EQ(file->series.size(), 2u);
  EXPECT_DOUBLE_EQ(find_series(*file, "x", "time", "bb")->processes[0].values[0], 20e-9);
}

TEST(Chainsafe, WhatIsWrongIsNamed) {
  EXPECT_EQ(error_of("id,averageNs,runsDone,totalMs\na,1,2,3\nb,much,2,3\n"),
            "f:3: averageNs is not a number");
  EXPECT_EQ(error_of(R"({"results": [{"id": 5, "averageNs": 1}]})"), "f: .results[0].id: not text");
  const auto torn = read("id,averageNs,runsDone,totalMs\na,1,2,3\nb,1", "f");
  ASSERT_TRUE(torn);
  EXPECT_TRUE(has_doubt(torn->doubts, "truncated"));
  const auto twice = read("id,averageNs,runsDone,totalMs\na,1,2,3\na,2,2,3\n", "f");
  ASSERT_TRUE(twice);
  EXPECT_TRUE(has_doubt(twice->series[0].doubts, "duplicate-id"));
}

TEST(Chainsafe, FilesOfTheToolItself) {
  const auto history = read(data_file("chainsafe_history.csv"), "chainsafe_history.csv");
  ASSERT_TRUE(history) << history.error().to_text();
  EXPECT_GE(history->series.size(), 2u);
  const auto raw = read(data_file("chainsafe_raw.csv"), "chainsafe_raw.csv");
  ASSERT_TRUE(raw) << raw.error().to_text();
  EXPECT_GE(raw->series[0].processes[0].values.size(), 10u);
}

}  // namespace
}  // namespace assay::results
