// SPDX-License-Identifier: Apache-2.0
#include "results/test_support.hpp"

namespace assay::results {
namespace {

TEST(Nanobench, EpochsAreValuesAndTheBatchDivides) {
  const auto file = read(
      R"nb({"results": [{"title": "T", "name": "x", "unit": "B", "batch": 2, "complexityN": -1,
        "clockResolutionMultiple": 1000, "median(elapsed)": 4e-6, "totalTime": 0.1,
        "measurements": [{"iterations": 10, "elapsed": 4e-6},
                         {"iterations": 12, "elapsed": 5e-6}]}]})nb",
      "f");
  ASSERT_TRUE(file) << file.error().to_text();
  EXPECT_EQ(file->format, "nanobench");
  const Series* series = find_series(*file, "T/x");
  ASSERT_NE(series, nullptr);
  EXPECT_DOUBLE_EQ(series->processes[0].values[0], 2e-6);
  EXPECT_EQ(series->processes[0].iterations, (std::vector<double>{10, 12}));
}

TEST(Nanobench, TheCsvTemplateIsASummary) {
  const auto file = read(
      "\"title\";\"name\";\"unit\";\"batch\";\"elapsed\";\"error %\";\"instructions\"\n"
      "\"T\";\"x; y\";\"op\";1;4e-6;0.01;12\n",
      "f");
  ASSERT_TRUE(file) << file.error().to_text();
  EXPECT_DOUBLE_EQ(*find_series(*file, "T/x; y")->centre, 4e-6);
  EXPECT_TRUE(has_doubt(file->doubts, "summary-only"));
  EXPECT_EQ(error_of("\"title\";\"name\";\"unit\";\"batch\";\"elapsed\"\n\"T\";\"x\";\"op\";0;1\n"),
            "f:2: batch and elapsed must be numbers");
}

}  // namespace
}  // namespace assay::results
