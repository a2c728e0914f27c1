// SPDX-License-Identifier: Apache-2.0
#include "results/test_support.hpp"

namespace assay::results {
namespace {

TEST(Bencher, OneNumberAMeasure) {
  const auto file = read(
      R"({"x": {"latency": {"value": 88.0, "lower_value": 87, "upper_value": 89},
                "throughput": {"value": 5.5}}, "y": {"file-size": {"value": 42}}})",
      "f");
  ASSERT_TRUE(file) << file.error().to_text();
  EXPECT_EQ(file->format, "bencher");
  EXPECT_DOUBLE_EQ(*find_series(*file, "x")->centre, 88e-9);
  EXPECT_DOUBLE_EQ(*find_series(*file, "x")->spread, 1e-9);
  EXPECT_EQ(find_series(*file, "x", "throughput")->better, Direction::higher);
  EXPECT_EQ(find_series(*file, "y", "file-size")->unit, "B");
  EXPECT_TRUE(has_doubt(file->doubts, "single-number"));
  EXPECT_EQ(error_of(R"({"x": {"latency": {}}})", "bencher"), "f: x.latency.value: not a number");
}

}  // namespace
}  // namespace assay::results
