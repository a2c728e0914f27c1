// SPDX-License-Identifier: Apache-2.0
#include "results/test_support.hpp"

namespace assay::results {
namespace {

TEST(GithubAction, EntriesAreBuilds) {
  const std::string json =
      R"({"lastUpdate": 1, "repoUrl": "r", "entries": {"Benchmark": [
        {"commit": {"id": "aa"}, "date": 5, "tool": "benchmarkjs", "benches": [
          {"name": "x", "value": 22244, "range": "±13.01%", "unit": "ops/sec", "extra": "67 samples"}]},
        {"commit": {"id": "bb"}, "date": 6, "tool": "cargo", "benches": [
          {"name": "x", "value": "602", "range": "± 82", "unit": "ns/iter"}]},
        {"commit": {"id": "cc"}, "tool": "customBiggerIsBetter", "benches": [
          {"name": "x", "value": 5, "unit": "points"}]}]}})";
  const auto file = read("window.BENCHMARK_DATA = " + json + ";\n", "data.js");
  ASSERT_TRUE(file) << file.error().to_text();
  EXPECT_EQ(file->format, "github-action");
  const Series* rate = find_series(*file, "x", "throughput", "aa");
  ASSERT_NE(rate, nullptr);
  EXPECT_EQ(rate->better, Direction::higher);
  EXPECT_NEAR(*rate->spread, 22244 * 0.1301, 1e-6);
  const Series* time = find_series(*file, "x", "time", "bb");
  ASSERT_NE(time, nullptr);
  EXPECT_DOUBLE_EQ(*time->centre, 602e-9);
  EXPECT_DOUBLE_EQ(*time->spread, 82e-9);
  EXPECT_EQ(find_series(*file, "x", "points", "cc")->better, Direction::higher);
  EXPECT_TRUE(has_doubt(file->doubts, "single-number"));
  EXPECT_TRUE(read(json, "f"));
}

TEST(GithubAction, WhatIsWrongIsNamed) {
  EXPECT_EQ(error_of("window.BENCHMARK_DATA = {\"entries\": {\"B\": [{\"benches\": [{}]}]}}"),
            "f: entries.B[0].benches[0].name: not text");
  EXPECT_NE(error_of("window.BENCHMARK_DATA = {\"entries\": nothing}").find("f:1:"),
            std::string::npos);
}

}  // namespace
}  // namespace assay::results
