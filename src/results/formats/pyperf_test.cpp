// SPDX-License-Identifier: Apache-2.0
#include "results/test_support.hpp"

namespace assay::results {
namespace {

TEST(Pyperf, RunsAreProcessesValuesRepetitions) {
  const auto file = read(
      R"({"benchmarks": [{"metadata": {"name": "sum", "loops": 8}, "runs": [
            {"metadata": {"date": "2026-11-30 12:00:00"}, "warmups": [[1, 0.5]]},
            {"metadata": {"date": "2026-11-30 12:00:01.5", "mem_max_rss": 1000}, "values": [0.2, 0.1],
             "warmups": [[8, 0.4]]},
            {"metadata": {"date": "2026-11-30 12:00:03"}, "values": [0.3, 0.1]}]}],
          "metadata": {"unit": "second", "hostname": "h"}, "version": "1.0"})",
      "f");
  ASSERT_TRUE(file) << file.error().to_text();
  EXPECT_EQ(file->format, "pyperf");
  const Series* series = find_series(*file, "sum");
  ASSERT_NE(series, nullptr);
  ASSERT_EQ(series->processes.size(), 2u);
  EXPECT_EQ(series->processes[0].values, (std::vector<double>{0.2, 0.1}));
  EXPECT_EQ(series->processes[0].iterations, (std::vector<double>{8, 8}));
  EXPECT_EQ(series->processes[0].warmups, std::vector<double>{0.4});
  EXPECT_EQ(series->processes[0].peak_memory, 1000.0);
  EXPECT_EQ(series->processes[0].started_at_ms, 1'796'040'001'500);
  EXPECT_TRUE(file->doubts.empty());
}

TEST(Pyperf, OtherVersionsAndBytes) {
  const auto file = read(
      R"({"benchmarks": [{"metadata": {"name": "mem", "unit": "byte"}, "runs": [{"values": [5]}]},
                         {"metadata": {"name": "none"}, "runs": [{"warmups": [[1, 2]]}]}],
          "version": "2.0"})",
      "f");
  ASSERT_TRUE(file) << file.error().to_text();
  EXPECT_TRUE(has_doubt(file->doubts, "unknown-version"));
  EXPECT_EQ(find_series(*file, "mem", "memory")->unit, "B");
  EXPECT_EQ(find_series(*file, "none")->state, State::failed);
  EXPECT_EQ(error_of(R"({"benchmarks": [{"runs": [{"values": ["x"]}]}], "version": "1.0"})"),
            "f: benchmarks[0].runs[0].values[0]: not a number");
}

TEST(Pyperf, AWholeFile) {
  const auto file = read(data_file("pyperf.json"), "pyperf.json");
  ASSERT_TRUE(file) << file.error().to_text();
  ASSERT_EQ(file->series.size(), 1u);
  ASSERT_GE(file->series[0].processes.size(), 3u);
  for (const Process& process : file->series[0].processes) {
    EXPECT_TRUE(process.started_at_ms);
    EXPECT_GE(process.values.size(), 2u);
  }
}

}  // namespace
}  // namespace assay::results
