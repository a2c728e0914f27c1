// SPDX-License-Identifier: Apache-2.0
#include "suite/ids.hpp"

#include <gtest/gtest.h>

namespace assay::suite {
namespace {

using Names = std::vector<std::string>;

TEST(SuiteIds, NumbersTheSecondOfAName) {
  Names names = {"a", "b", "a", "a#2", "a"};
  EXPECT_EQ(make_unique(names), 2u);
  EXPECT_EQ(names, (Names{"a", "b", "a#3", "a#2", "a#4"}));
  Names plain = {"a", "b"};
  EXPECT_EQ(make_unique(plain), 0u);
}

TEST(SuiteIds, MergesUnitsOfOneName) {
  std::vector<SuiteUnit> units = {{"A", {"A/1"}}, {"B", {"B"}}, {"A", {"A/2", "A/1"}}};
  EXPECT_EQ(merge_units(units), 1u);
  ASSERT_EQ(units.size(), 2u);
  EXPECT_EQ(units[0].ids, (Names{"A/1", "A/2", "A/1#2"}));
}

TEST(SuiteIds, KeepsWhatAPatternMatches) {
  const std::vector<SuiteUnit> all = {{"A", {"A/1", "A/2"}}, {"B", {"B/1"}}, {"file.ts", {}}};
  struct Case {
    Names patterns;
    std::vector<SuiteUnit> left;
  };
  for (const Case& c : {Case{{}, all},
                        {{"A"}, {all[0]}},
                        {{"*/1"}, {{"A", {"A/1"}}, all[1]}},
                        {{"file*"}, {all[2]}},
                        {{"none", "B/1"}, {all[1]}},
                        {{"none"}, {}}}) {
    std::vector<SuiteUnit> units = all;
    keep_matching(units, c.patterns);
    EXPECT_EQ(units, c.left);
  }
}

TEST(SuiteIds, EscapesWhatAPatternWouldMean) {
  EXPECT_EQ(escape_pattern("a/b<int>.8"), "a/b<int>\\.8");
  EXPECT_EQ(escape_pattern("\\^$.|?*+()[]{}"), "\\\\\\^\\$\\.\\|\\?\\*\\+\\(\\)\\[]\\{}");
}

TEST(SuiteIds, TakesLinesWithSomethingOnThem) {
  EXPECT_EQ(lines_of("a\r\n\n b\nc"), (Names{"a", " b", "c"}));
  EXPECT_TRUE(lines_of("").empty());
}

}  // namespace
}  // namespace assay::suite
