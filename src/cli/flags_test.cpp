// SPDX-License-Identifier: Apache-2.0
#include "cli/flags.hpp"

#include <gtest/gtest.h>

namespace assay::cli {
namespace {

const CommandSpec kSpec = {.name = "probe",
                           .summary = "For the tests",
                           .usage = {"probe"},
                           .details = {},
                           .positionals = {},
                           .examples = {},
                           .flags = {{.name = "time", .value = "TIME", .fallback = "10m"},
                                     {.name = "count", .value = "N"},
                                     {.name = "set", .value = "NAME=VALUE", .repeatable = true},
                                     {.name = "list", .value = "LIST", .repeatable = true},
                                     {.name = "flag"}}};

Arguments with(std::string_view name, std::initializer_list<std::string> values) {
  Arguments arguments(kSpec);
  for (const std::string& value : values) arguments.add(name, value);
  return arguments;
}

TEST(Arguments, FallsBackToTheDefault) {
  const Arguments none(kSpec);
  EXPECT_FALSE(none.has("time"));
  EXPECT_EQ(none.value("time"), "10m");
  EXPECT_EQ(none.duration("time").value(), 600);
  EXPECT_EQ(none.value("count"), std::nullopt);
  EXPECT_EQ(none.uint("count", 1, 9).value(), std::nullopt);
  EXPECT_TRUE(none.values("set").empty());
}

TEST(Arguments, ReadsWholeNumbersInTheirRange) {
  struct Case {
    std::string text;
    std::optional<std::uint64_t> expected;
  };
  for (const Case& c : {Case{"1", 1},
                        {"900", 900},
                        {"0", {}},
                        {"901", {}},
                        {"-1", {}},
                        {"1.5", {}},
                        {"", {}},
                        {"12x", {}},
                        {"18446744073709551616", {}}}) {
    const auto got = with("count", {c.text}).uint("count", 1, 900);
    EXPECT_EQ(got.has_value(), c.expected.has_value()) << c.text;
    if (got)
      EXPECT_EQ(*got, c.expected);
    else
      EXPECT_EQ(got.error().what, "--count: '" + c.text + "' is not a whole number from 1 to 900");
  }
  EXPECT_EQ(with("count", {"18446744073709551615"}).uint("count", 0, UINT64_MAX).value(),
            UINT64_MAX);
}

TEST(Arguments, NamesTheOptionInItsErrors) {
  EXPECT_EQ(with("time", {"soon"}).duration("time").error().to_text(),
            "--time: 'soon' is not a duration\n  write 300ms, 20s, 10m or 2h");
  EXPECT_EQ(with("time", {"much"}).fraction("time").error().what,
            "--time: 'much' is not a percentage");
  EXPECT_EQ(with("time", {"much"}).bytes("time").error().what,
            "--time: 'much' is not an amount of memory");
  EXPECT_EQ(with("list", {"1,two"}).numbers("list").error().what, "--list: 'two' is not a number");
}

TEST(Arguments, SplitsListsAndAssignments) {
  using Strings = std::vector<std::string>;
  EXPECT_EQ(with("list", {"wall, cpu", ",user,,"}).list("list"), (Strings{"wall", "cpu", "user"}));
  EXPECT_TRUE(with("list", {" , "}).list("list").empty());
  EXPECT_EQ(with("list", {"1,1.02"}).numbers("list").value(), (std::vector<double>{1, 1.02}));

  const auto pairs = with("set", {"A=1", "B=", "C=x=y"}).assignments("set").value();
  ASSERT_EQ(pairs.size(), 3u);
  EXPECT_EQ(pairs[1], (std::pair<std::string, std::string>{"B", ""}));
  EXPECT_EQ(pairs[2], (std::pair<std::string, std::string>{"C", "x=y"}));
  for (const std::string bad : {"A", "=1", ""})
    EXPECT_EQ(with("set", {bad}).assignments("set").error().what,
              "--set: '" + bad + "' is not NAME=VALUE");
}

TEST(ArgumentsDeathTest, AnUndeclaredOptionIsOurBug) {
  const Arguments none(kSpec);
  EXPECT_DEATH((void)none.has("tiem"), "declares the option");
}

}  // namespace
}  // namespace assay::cli
