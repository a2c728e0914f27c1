// SPDX-License-Identifier: Apache-2.0
#include "results/test_support.hpp"

namespace assay::results {
namespace {

TEST(Mitata, SamplesAreSortedAndFailuresNamed) {
  const auto file = read(
      R"({"context": {"runtime": "node", "cpu": {"name": "X"}}, "benchmarks": [
        {"alias": "a", "runs": [{"name": "a", "args": {"n": 4}, "stats": {"samples": [5, 6], "avg": 5.5}}]},
        {"alias": "b", "runs": [{"name": "b", "error": {"message": "boom"}}]},
        {"alias": "c", "runs": [{"name": "c", "stats": {"avg": 7}}]}]})",
      "f");
  ASSERT_TRUE(file) << file.error().to_text();
  EXPECT_EQ(file->format, "mitata");
  const Series* a = find_series(*file, "a");
  ASSERT_NE(a, nullptr);
  EXPECT_DOUBLE_EQ(a->processes[0].values[1], 6e-9);
  EXPECT_TRUE(has_doubt(a->doubts, "sorted"));
  EXPECT_EQ(a->fields[0].value, 4);
  EXPECT_EQ(find_series(*file, "b")->message, "boom");
  EXPECT_DOUBLE_EQ(*find_series(*file, "c")->centre, 7e-9);
}

TEST(Mitata, AFileOfTheToolItself) {
  const auto file = read(data_file("mitata.json"), "mitata.json");
  ASSERT_TRUE(file) << file.error().to_text();
  for (const Series& series : file->series) {
    ASSERT_EQ(series.processes.size(), 1u) << series.id;
    EXPECT_TRUE(has_doubt(series.doubts, "sorted")) << series.id;
  }
}

}  // namespace
}  // namespace assay::results
