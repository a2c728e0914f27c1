// SPDX-License-Identifier: Apache-2.0
#include "results/test_support.hpp"

namespace assay::results {
namespace {

std::string gbench_text(const std::string& entries) {
  return R"({"context": {"date": "2026-11-30T12:00:00+00:00", "executable": "./bench",
"library_build_type": "release"}, "benchmarks": [)" +
         entries + "]}";
}

std::string repetition(const char* name, int index, const char* real) {
  return std::string(R"({"name": ")") + name + R"(/repeats:2", "run_name": ")" + name +
         R"(/repeats:2", "run_type": "iteration", "repetitions": 2, "repetition_index": )" +
         std::to_string(index) + R"(, "threads": 1, "iterations": 10, "real_time": )" + real +
         R"(, "cpu_time": 1.5, "time_unit": "us", "items_per_second": 5.0, "validators": 250000})";
}

TEST(Gbench, RepetitionsAreValuesOfOneProcess) {
  const auto file =
      read(gbench_text(repetition("BM_x", 0, "2.0") + "," + repetition("BM_x", 1, "3.0")), "f");
  ASSERT_TRUE(file) << file.error().to_text();
  EXPECT_EQ(file->format, "gbench");
  const Series* time = find_series(*file, "BM_x/repeats:2");
  ASSERT_NE(time, nullptr);
  ASSERT_EQ(time->processes.size(), 1u);
  const Process& process = time->processes[0];
  ASSERT_EQ(process.values.size(), 2u);
  EXPECT_DOUBLE_EQ(process.values[0], 2e-6);
  EXPECT_DOUBLE_EQ(process.values[1], 3e-6);
  EXPECT_EQ(process.iterations, (std::vector<double>{10, 10}));
  EXPECT_DOUBLE_EQ(*process.total_s, 50e-6);
  EXPECT_EQ(process.started_at_ms, 1'796'040'000'000);
  ASSERT_EQ(time->fields.size(), 1u);
  EXPECT_EQ(time->fields[0].name, "validators");
  const Series* cpu = find_series(*file, "BM_x/repeats:2", "cpu");
  ASSERT_NE(cpu, nullptr);
  EXPECT_DOUBLE_EQ(cpu->processes[0].values[0], 1.5e-6);
  const Series* rate = find_series(*file, "BM_x/repeats:2", "items_per_second");
  ASSERT_NE(rate, nullptr);
  EXPECT_EQ(rate->better, Direction::higher);
  EXPECT_EQ(rate->unit, "1/s");
  EXPECT_TRUE(file->doubts.empty());
}

TEST(Gbench, BareNanIsARepetitionWithoutNumber) {
  const auto file =
      read(gbench_text(repetition("BM_x", 0, "NaN") + "," + repetition("BM_x", 1, "3.0")), "f");
  ASSERT_TRUE(file) << file.error().to_text();
  const Series* time = find_series(*file, "BM_x/repeats:2");
  ASSERT_NE(time, nullptr);
  EXPECT_EQ(time->processes[0].values.size(), 1u);
  EXPECT_TRUE(has_doubt(time->doubts, "not-finite"));
}

TEST(Gbench, FailedAndSkippedSayWhy) {
  const auto file = read(
      gbench_text(
          R"({"name": "BM_bad", "run_name": "BM_bad", "run_type": "iteration", "error_occurred": true,
              "error_message": "no such state", "real_time": 0, "cpu_time": 0, "time_unit": "ns"},
             {"name": "BM_skip", "run_type": "iteration", "skipped": true,
              "skip_message": "needs AVX", "real_time": 0, "cpu_time": 0, "time_unit": "ns"})"),
      "f");
  ASSERT_TRUE(file) << file.error().to_text();
  EXPECT_EQ(find_series(*file, "BM_bad")->state, State::failed);
  EXPECT_EQ(find_series(*file, "BM_bad")->message, "no such state");
  EXPECT_EQ(find_series(*file, "BM_skip")->state, State::skipped);
}

TEST(Gbench, AggregatesCountOnlyWhereTheRepetitionsAreGone) {
  const std::string aggregates =
      R"({"name": "BM_x/repeats:2_mean", "run_name": "BM_x/repeats:2", "run_type": "aggregate",
          "aggregate_name": "mean", "iterations": 2, "real_time": 4, "cpu_time": 4, "time_unit": "us"},
         {"name": "BM_x/repeats:2_median", "run_name": "BM_x/repeats:2", "run_type": "aggregate",
          "aggregate_name": "median", "iterations": 2, "real_time": 3, "cpu_time": 3, "time_unit": "us"},
         {"name": "BM_x/repeats:2_stddev", "run_name": "BM_x/repeats:2", "run_type": "aggregate",
          "aggregate_name": "stddev", "iterations": 2, "real_time": 1, "cpu_time": 1, "time_unit": "us"},
         {"name": "BM_x/repeats:2_cv", "run_name": "BM_x/repeats:2", "run_type": "aggregate",
          "aggregate_name": "cv", "aggregate_unit": "percentage", "iterations": 2, "real_time": 0.3,
          "cpu_time": 0.3, "time_unit": "us"})";
  const auto alone = read(gbench_text(aggregates), "f");
  ASSERT_TRUE(alone) << alone.error().to_text();
  const Series* summary = find_series(*alone, "BM_x/repeats:2");
  ASSERT_NE(summary, nullptr);
  EXPECT_DOUBLE_EQ(*summary->centre, 3e-6);
  EXPECT_EQ(summary->centre_is, "median");
  EXPECT_DOUBLE_EQ(*summary->spread, 1e-6);
  EXPECT_TRUE(has_doubt(alone->doubts, "summary-only"));
  const auto beside = read(gbench_text(repetition("BM_x", 0, "2.0") + "," + aggregates), "f");
  ASSERT_TRUE(beside);
  EXPECT_FALSE(find_series(*beside, "BM_x/repeats:2")->centre);
  EXPECT_FALSE(has_doubt(beside->doubts, "summary-only"));
}

TEST(Gbench, ATruncatedFileKeepsItsEntries) {
  const std::string whole =
      gbench_text(repetition("BM_x", 0, "2.0") + "," + repetition("BM_y", 0, "3.0"));
  const auto file = read(std::string_view(whole).substr(0, whole.size() - 40), "f");
  ASSERT_TRUE(file) << file.error().to_text();
  EXPECT_NE(find_series(*file, "BM_x/repeats:2"), nullptr);
  EXPECT_EQ(find_series(*file, "BM_y/repeats:2"), nullptr);
  EXPECT_TRUE(has_doubt(file->doubts, "truncated"));
}

TEST(Gbench, NamesTheMemberThatIsWrong) {
  EXPECT_EQ(error_of(gbench_text(R"({"name": "a", "real_time": 1, "cpu_time": 1})")),
            "f: benchmarks[0].time_unit: not a unit of time");
  EXPECT_EQ(error_of(gbench_text(R"({"real_time": 1})")), "f: benchmarks[0].name: not there");
  EXPECT_EQ(
      error_of(gbench_text(R"({"name": "a", "real_time": [], "cpu_time": 1, "time_unit": "ns"})")),
      "f: benchmarks[0].real_time: not a number");
}

TEST(Gbench, AFileOfTheLibraryItself) {
  const auto file = read(data_file("gbench_repetitions.json"), "gbench_repetitions.json");
  ASSERT_TRUE(file) << file.error().to_text();
  const Series* time = find_series(*file, "BM_sum/1024/repeats:3");
  ASSERT_NE(time, nullptr);
  ASSERT_EQ(time->processes.size(), 1u);
  EXPECT_EQ(time->processes[0].values.size(), 3u);
  EXPECT_EQ(find_series(*file, "BM_fails")->state, State::failed);
}

}  // namespace
}  // namespace assay::results
