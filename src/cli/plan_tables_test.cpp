// SPDX-License-Identifier: Apache-2.0
// A table of a plan becomes the command line that could have been typed.
#include "cli/plan_tables.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "cli/commands.hpp"

namespace assay::cli {
namespace {

Result<Arguments> arguments(std::string_view toml, const Arguments& globals) {
  const auto plans = plan::parse_plans(toml, "p.toml", plan_tables());
  if (!plans) return fail(plans.error());
  return arguments_of(plans->front(), globals);
}

TEST(PlanTables, EveryCommandThatMeasuresHasOne) {
  std::vector<std::string> names;
  for (const plan::TableRules& rules : plan_tables()) {
    names.push_back(rules.command);
    for (const plan::OptionRule& option : rules.options)
      EXPECT_NE(option.name, "dry-run") << "of the command line alone";
  }
  for (const char* name : {"compare", "measure", "calibrate", "sweep"})
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
}

TEST(PlanTables, OptionsAreThoseOfTheCommandLine) {
  Arguments globals(run_spec());
  globals.add("store", "/x/lab.db");
  globals.add("quiet", "");
  const auto made = arguments(
      "[compare.e]\nbaseline = './a'\ncandidates = ['./b', './c']\ngate = ['wall', 'cpu']\n"
      "metric = ['n=json:/n', 'm=json:/m']\ntolerance = 0.05\ntails = true\n",
      globals);
  ASSERT_TRUE(made) << made.error().to_text();
  EXPECT_EQ(made->positionals, (std::vector<std::string>{"./a", "./b", "./c"}));
  EXPECT_EQ(made->list("gate"), (std::vector<std::string>{"wall", "cpu"}));
  EXPECT_EQ(made->values("metric").size(), 2u);
  EXPECT_EQ(made->value("tolerance"), "0.05");
  EXPECT_TRUE(made->has("tails"));
  EXPECT_EQ(made->value("name"), "e");
  EXPECT_EQ(made->value("store"), "/x/lab.db");
  EXPECT_TRUE(made->has("quiet"));
}

TEST(PlanTables, ErrorsBeginWithThePlaceOfTheTable) {
  const Arguments globals(run_spec());
  const auto twice = arguments("[measure.m]\ncommand = '--x'\n", globals);
  ASSERT_FALSE(twice);
  EXPECT_TRUE(twice.error().to_text().starts_with("p.toml:1:10: measure m: "))
      << twice.error().to_text();
}

}  // namespace
}  // namespace assay::cli
