// SPDX-License-Identifier: Apache-2.0
#include "report/suite_names.hpp"

#include <gtest/gtest.h>

namespace assay::report {
namespace {

TEST(SuiteNames, LeaveOutHowABenchmarkIsMeasured) {
  const SuiteNames names(SuitePlan{
      .units = {
          {"sort", {"sort/64/iterations:8/repeats:4/manual_time", "sort/8/threads:2/real_time"}},
          {"has\nh", {"hash/iterations:8", "hash/iterations:16", "iterations:3", "a/b"}}}});
  EXPECT_EQ(names.benchmark("sort/64/iterations:8/repeats:4/manual_time"), "sort/64");
  EXPECT_EQ(names.benchmark("sort/8/threads:2/real_time"), "sort/8/threads:2");
  EXPECT_EQ(names.benchmark("hash/iterations:8"), "hash/iterations:8") << "two would be the same";
  EXPECT_EQ(names.benchmark("iterations:3"), "iterations:3");
  EXPECT_EQ(names.benchmark("a/b"), "a/b");
  EXPECT_EQ(names.benchmark("new/iterations:8"), "new/iterations:8")
      << "the listing does not have it";
  EXPECT_EQ(names.benchmark(std::string(160, 'x')).size(), 96u);
  EXPECT_EQ(names.unit(0), "sort");
  EXPECT_EQ(names.unit(1).find('\n'), std::string::npos);
  EXPECT_EQ(names.unit(2), "unit 2");
  EXPECT_EQ(SuiteNames(std::nullopt).unit(0), "unit 0");
}

}  // namespace
}  // namespace assay::report
