// SPDX-License-Identifier: Apache-2.0
#include "results/results.hpp"

#include "results/test_support.hpp"

namespace assay::results {
namespace {

TEST(Read, SaysWhatWasTried) {
  const auto unknown = read("hello\n", "notes.txt");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().where, "notes.txt");
  EXPECT_NE(unknown.error().hint.find("gbench"), std::string::npos);
  const auto slip = read("{}", "f", "gbnch");
  ASSERT_FALSE(slip);
  EXPECT_EQ(slip.error().hint, "did you mean 'gbench'?");
}

TEST(Read, ValuesThatComeSortedAreDoubted) {
  const std::string sorted = "1\n2\n3\n4\n5\n6\n7\n8", mixed = "1\n2\n3\n4\n5\n6\n8\n7";
  const auto doubted = read(sorted, "x.csv");
  ASSERT_TRUE(doubted);
  EXPECT_TRUE(has_doubt(doubted->series[0].doubts, "sorted"));
  const auto trusted = read(mixed, "x.csv");
  ASSERT_TRUE(trusted);
  EXPECT_FALSE(has_doubt(trusted->series[0].doubts, "sorted"));
}

TEST(Read, NamesAreUnique) {
  std::vector<std::string_view> names;
  for (const Format& format : formats()) {
    EXPECT_EQ(std::count(names.begin(), names.end(), format.name), 0) << format.name;
    names.push_back(format.name);
    EXPECT_FALSE(format.summary.empty());
  }
}

TEST(Read, FormatThatWasNamedIsHeld) {
  EXPECT_EQ(error_of("hello", "gbench").substr(0, 12), "f:1:1: not J");
  EXPECT_NE(error_of("{}", "gbench").find("benchmarks: not a list"), std::string::npos);
  EXPECT_NE(error_of("hello", "go").find("no benchmark in it"), std::string::npos);
}

}  // namespace
}  // namespace assay::results
