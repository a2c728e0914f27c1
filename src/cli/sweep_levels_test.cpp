// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep_levels.hpp"

#include <gtest/gtest.h>

namespace assay::cli {
namespace {

using Levels = std::vector<std::string>;

TEST(SweepLevels, AreListsAndRanges) {
  const struct {
    const char* text;
    const char* name;
    Levels levels;
  } cases[] = {
      {"cap=1,2,4", "cap", {"1", "2", "4"}},
      {"cap= 1 , 2", "cap", {"1", "2"}},
      {"n=1..4", "n", {"1", "2", "3", "4"}},
      {"n=1..64*2", "n", {"1", "2", "4", "8", "16", "32", "64"}},
      {"n=1..50*3", "n", {"1", "3", "9", "27"}},
      {"n=0..100+25", "n", {"0", "25", "50", "75", "100"}},
      {"n=-2..2", "n", {"-2", "-1", "0", "1", "2"}},
      {"n=1,2,4..8+2", "n", {"1", "2", "4", "6", "8"}},
      {"a_b-c=x=1,y", "a_b-c", {"x=1", "y"}},
      {"dir=../a,./b", "dir", {"../a", "./b"}},
      {"isa=avx2,avx512", "isa", {"avx2", "avx512"}},
  };
  for (const auto& c : cases) {
    const auto parameter = parse_parameter(c.text);
    ASSERT_TRUE(parameter) << c.text << ": " << parameter.error().to_text();
    EXPECT_EQ(parameter->name, c.name) << c.text;
    EXPECT_EQ(parameter->levels, c.levels) << c.text;
  }
}

TEST(SweepLevels, SayWhatIsWrong) {
  const struct {
    const char* text;
    const char* what;
  } cases[] = {
      {"", "is no parameter"},
      {"cap", "is no parameter"},
      {"=1,2", "is no parameter"},
      {"1cap=1,2", "is no parameter"},
      {"c{p=1,2", "is no parameter"},
      {"cap=", "has an empty level"},
      {"cap=1,,2", "has an empty level"},
      {"cap=1,2,", "has an empty level"},
      {"cap=1", "has one level"},
      {"cap=1,2,1", "has the level 1 twice"},
      {"cap=1..3,2", "has the level 2 twice"},
      {"cap=8..1", "does not rise"},
      {"cap=1..1", "does not rise"},
      {"cap=1..8*1", "has no step"},
      {"cap=1..8+0", "has no step"},
      {"cap=1..8*x", "has no step"},
      {"cap=0..8*2", "starts below 1"},
      {"cap=1..257", "has more than 256 levels"},
      {"cap=1..4503599627370496", "has more than 256 levels"},
      {"cap=1..250,1000..1010", "has 261 levels"},
  };
  for (const auto& c : cases) {
    const auto parameter = parse_parameter(c.text);
    ASSERT_FALSE(parameter) << c.text;
    EXPECT_NE(parameter.error().what.find(c.what), std::string::npos)
        << c.text << ": " << parameter.error().to_text();
  }
}

TEST(SweepLevels, FillPlaceholdersOnce) {
  const Values values = {{"cap", "{n}"}, {"n", "7"}};
  const struct {
    const char* text;
    const char* filled;
  } cases[] = {{"--cap={cap}", "--cap={n}"},
               {"{n}{n}", "77"},
               {"{}", "{}"},
               {"{unknown} {n", "{unknown} {n"},
               {"{{n}}", "{7}"},
               {"", ""},
               {R"({"cap": {cap}})", R"({"cap": {n}})"}};
  for (const auto& c : cases) {
    std::map<std::string, std::size_t> used;
    EXPECT_EQ(fill_in(c.text, values, used), c.filled);
  }
  std::map<std::string, std::size_t> used;
  fill_in("{n} {n} {x}", values, used);
  EXPECT_EQ(used, (std::map<std::string, std::size_t>{{"n", 2}}));
}

}  // namespace
}  // namespace assay::cli
