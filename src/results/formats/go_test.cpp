// SPDX-License-Identifier: Apache-2.0
#include "results/test_support.hpp"

namespace assay::results {
namespace {

constexpr const char* kGoHeader = "goos: linux\ngoarch: amd64\npkg: example.org/sum\ncpu: X\n";

TEST(Go, LinesAreRepetitionsAndMetricsColumns) {
  const auto file =
      read(std::string(kGoHeader) +
               "BenchmarkSum/n=10-8 \t 1000\t 250 ns/op\t 4.50 MB/s\t 16 B/op\t 2 allocs/op\n"
               "BenchmarkSum/n=10-8 \t 1000\t 260 ns/op\t 4.40 MB/s\t 16 B/op\t 2 allocs/op\n"
               "PASS\nok  \texample.org/sum\t1.2s\n",
           "f");
  ASSERT_TRUE(file) << file.error().to_text();
  EXPECT_EQ(file->format, "go");
  const Series* time = find_series(*file, "BenchmarkSum/n=10-8");
  ASSERT_NE(time, nullptr);
  ASSERT_EQ(time->processes.size(), 1u);
  ASSERT_EQ(time->processes[0].values.size(), 2u);
  EXPECT_DOUBLE_EQ(time->processes[0].values[1], 260e-9);
  EXPECT_EQ(find_series(*file, "BenchmarkSum/n=10-8", "throughput")->better, Direction::higher);
  EXPECT_DOUBLE_EQ(find_series(*file, "BenchmarkSum/n=10-8", "throughput")->processes[0].values[0],
                   4.5e6);
  EXPECT_EQ(find_series(*file, "BenchmarkSum/n=10-8", "memory")->unit, "B");
  EXPECT_EQ(find_series(*file, "BenchmarkSum/n=10-8", "allocs/op")->unit, "1");
  EXPECT_TRUE(has_doubt(file->doubts, "order-unknown"));
  EXPECT_FALSE(has_doubt(file->doubts, "processes-unknown"));
}

TEST(Go, AHeaderBehindResultsIsAnotherProcess) {
  const std::string once = std::string(kGoHeader) + "BenchmarkSum-8 1000 250 ns/op\nPASS\n";
  const auto file = read(once + once + once, "f");
  ASSERT_TRUE(file);
  EXPECT_EQ(find_series(*file, "BenchmarkSum-8")->processes.size(), 3u);
  const auto cut = read("BenchmarkSum-8 1000 250 ns/op\nBenchmarkSum-8 1000 251 ns/op\n", "f");
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->series[0].processes.size(), 1u);
  EXPECT_TRUE(has_doubt(cut->doubts, "processes-unknown"));
}

TEST(Go, SeveralPackagesKeepTheirBenchmarksApart) {
  const auto file =
      read("pkg: a\nBenchmarkX-8 1000 250 ns/op\nPASS\npkg: b\nBenchmarkX-8 1000 350 ns/op\nPASS\n",
           "f");
  ASSERT_TRUE(file);
  EXPECT_NE(find_series(*file, "a.BenchmarkX-8"), nullptr);
  EXPECT_NE(find_series(*file, "b.BenchmarkX-8"), nullptr);
}

TEST(Go, FailedSkippedAndUnfinishedAreNamed) {
  const auto file = read(std::string(kGoHeader) +
                             "BenchmarkGood-8 \t 10\t 5 ns/op\n--- FAIL: BenchmarkBad-8\n    x: y\n"
                             "--- SKIP: BenchmarkSkip\nBenchmarkDead-8 \t\npanic: out of range\n",
                         "f");
  ASSERT_TRUE(file);
  EXPECT_EQ(find_series(*file, "BenchmarkBad-8")->state, State::failed);
  EXPECT_EQ(find_series(*file, "BenchmarkSkip")->state, State::skipped);
  EXPECT_EQ(find_series(*file, "BenchmarkDead-8")->message, "panic: out of range");
}

TEST(Go, ANumberThatMayGoOnIsLeftOut) {
  const std::string whole = std::string(kGoHeader) + "BenchmarkA-8 10 41.95 ns/op\n";
  for (const char* cut : {"BenchmarkA-8 10 41", "BenchmarkA-8 10 41.9 ns", "BenchmarkA-8 10"}) {
    const auto file = read(whole + cut, "f");
    ASSERT_TRUE(file);
    const Series* series = find_series(*file, "BenchmarkA-8");
    EXPECT_EQ(series->processes[0].values.size(), 1u) << cut;
    EXPECT_EQ(file->series.size(), 1u) << cut;
    EXPECT_EQ(file->doubts.front().kind, "truncated") << cut;
  }
}

TEST(Go, UnitLinesSayWhatIsBetter) {
  const auto file = read("Unit hits better=higher\nBenchmarkX 1 5 ns/op 7 hits 3 misses\n", "f");
  ASSERT_TRUE(file);
  EXPECT_EQ(find_series(*file, "BenchmarkX", "hits")->better, Direction::higher);
  EXPECT_EQ(find_series(*file, "BenchmarkX", "misses")->better, Direction::lower);
}

TEST(Go, JsonOutputIsUnwrapped) {
  const auto file = read(
      "{\"Action\":\"output\",\"Package\":\"p\",\"Output\":\"BenchmarkX-8 \\t\"}\n"
      "{\"Action\":\"output\",\"Package\":\"p\",\"Output\":\"    1000\\t 250 ns/op\\n\"}\n"
      "{\"Action\":\"out",
      "f");
  ASSERT_TRUE(file) << file.error().to_text();
  EXPECT_DOUBLE_EQ(find_series(*file, "BenchmarkX-8")->processes[0].values[0], 250e-9);
  EXPECT_TRUE(has_doubt(file->doubts, "truncated"));
}

TEST(Go, AFileOfGoItself) {
  const auto file = read(data_file("go_count5.txt"), "go_count5.txt");
  ASSERT_TRUE(file) << file.error().to_text();
  for (const Series& series : file->series) {
    ASSERT_EQ(series.processes.size(), 1u) << series.id;
    EXPECT_EQ(series.processes[0].values.size(), 5u) << series.id << " " << series.metric;
  }
}

}  // namespace
}  // namespace assay::results
