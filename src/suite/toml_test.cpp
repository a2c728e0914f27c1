// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "suite/adapter.hpp"
#include "suite/toml_rules.hpp"

namespace assay::suite {
namespace {

using Words = std::vector<std::string>;

const char* const kLines = R"(
list = ["{command}", "--list"]
run = ["{command}", "--run={units}", "{units}", "--out={results}"]
from = "stdout"
reorders = true
repeats = true
separator = ":"
[env]
SUITE = "1"
[[line]]
pattern = '^FAILED(?P<failed>) (?P<id>\S+): (?P<message>.*)'
[[line]]
pattern = '^(?P<id>\S+) +(?P<value>[0-9.]+) us(?: x (?P<iterations>\d+))?(?: (?P<validators>\w+) v)?'
unit = "us"
)";

SuitePlan toml_plan(const std::string& text) {
  return {.adapter = "toml", .rules = text, .rules_name = "s.toml"};
}

std::unique_ptr<Adapter> toml_adapter(const std::string& text) {
  auto made = make_adapter(toml_plan(text));
  EXPECT_TRUE(made) << made.error().to_text();
  return made ? std::move(*made) : nullptr;
}

TEST(TomlAdapter, FillsWordsAndReadsListings) {
  const auto adapter = toml_adapter(kLines);
  ASSERT_TRUE(adapter);
  const Subject subject{.label = "s", .argv = {"./s", "-x"}};
  const auto listings = adapter->listings(subject);
  EXPECT_EQ(listings->front().argv, (Words{"./s", "-x", "--list"}));
  EXPECT_EQ(listings->front().env.front().first, "SUITE");
  const auto units = adapter->read_listing(subject, Words{"a\nb c\tb c/1\nb c\tb c/2\n"});
  EXPECT_EQ(*units, (std::vector<SuiteUnit>{{"a", {}}, {"b c", {"b c/1"}}, {"b c", {"b c/2"}}}));
  const std::vector<const SuiteUnit*> asked = {&(*units)[1], &(*units)[0]};
  EXPECT_EQ(adapter->invocation(subject, asked, "/r")->argv,
            (Words{"./s", "-x", "--run=b c:a", "b c", "a", "--out=/r"}));
  EXPECT_TRUE(adapter->abilities(subject).repeats);
  EXPECT_FALSE(adapter->read_listing(subject, Words{"\n"}));
  for (const char* half : {"a\ta/1\nb\t\n", "a\ta/1\n\tb/1\n"}) {
    const auto refused = adapter->read_listing(subject, Words{half});
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().what.find("line 2"), std::string::npos) << refused.error().what;
  }
}

TEST(TomlAdapter, DoubtsRepetitionsThatMayBeTwoBenchmarks) {
  const auto adapter = toml_adapter(kLines);
  Leavings leavings{.out = "a/1 2 us\na/1 900 us\na/2 2 us\na/2 3 us\n"};
  const Reading reading = adapter->read(leavings);
  ASSERT_EQ(reading.doubts.size(), 1u);
  EXPECT_NE(reading.doubts[0].find("2 lines of the name a/1"), std::string::npos);
  EXPECT_NE(reading.doubts[0].find("differ 450 times"), std::string::npos);
  leavings.twice = true;
  EXPECT_TRUE(adapter->read(leavings).doubts.empty());
}

TEST(TomlAdapter, ReadsLines) {
  const auto adapter = toml_adapter(kLines);
  const Reading reading = adapter->read(
      {.out = "noise\na/1 2.5 us x 100 16 v\na/1 3.5 us x 100 16 v\nFAILED a/2: no state\na/3 1.5 "
              "us x 10 many v\n"});
  ASSERT_EQ(reading.measurements.size(), 2u);
  const Measurement& one = reading.measurements[0];
  EXPECT_DOUBLE_EQ(*one.value, 3e-6);
  EXPECT_EQ(one.samples.size(), 2u);
  EXPECT_EQ(one.iterations, 200);
  EXPECT_EQ(one.facts, (std::vector<Fact>{{"validators", 16}}));
  EXPECT_EQ(reading.measurements[1].message, "no state");
  EXPECT_EQ(reading.doubts, (Words{"1 line matched, and held what is no number"}));
  EXPECT_EQ(adapter->read({}).doubts, (Words{"it printed nothing"}));
  EXPECT_EQ(adapter->read({.out = "a/1 2.5 us x 0\na/2 2.5 us x 1\n"}).measurements.size(), 1u)
      << "nothing ran 0 times";
}

TEST(TomlAdapter, ANumberThatMayGoOnIsNone) {
  const auto adapter = toml_adapter(
      "units = ['u']\nrun = 'r {units}'\n[[line]]\npattern = '^(?P<id>\\S+) (?P<value>\\d+)'\n");
  const auto ids = [&](const Leavings& leavings) {
    Words all;
    for (const Measurement& one : adapter->read(leavings).measurements) all.push_back(one.id);
    return all;
  };
  EXPECT_EQ(ids({.out = "a 5000\nb 12"}), (Words{"a", "b"})) << "it ended itself";
  EXPECT_EQ(ids({.out = "a 5000\nb 12", .cut = true}), (Words{"a"}));
  EXPECT_EQ(ids({.out = "a 5000\nb 12\n", .cut = true}), (Words{"a", "b"}));
  EXPECT_EQ(ids({.out = "a 50", .cut = true}), Words{});
}

TEST(TomlAdapter, SaysWhyNoLineMatches) {
  const auto adapter = toml_adapter(kLines);
  EXPECT_EQ(adapter->read({.out = "a took 5 us\nb took 6 us\n"}).doubts,
            (Words{"none of its 2 lines matches a pattern; the first is 'a took 5 us'"}));
  EXPECT_EQ(adapter->read({.out = "a\xff 5 us\n"}).doubts,
            (Words{"its only line matches no pattern: 'a\\xff 5 us'; 1 is not UTF-8, which no "
                   "pattern matches"}));
  EXPECT_EQ(adapter->read({.out = std::string(2U << 20U, 'x') + "\na/1 2 us\n"}).doubts,
            (Words{"1 line beyond 1 MiB left out"}));
}

TEST(TomlAdapter, TakesUnitsFromTheFileAndOtherListings) {
  const auto fixed =
      toml_adapter("units = ['a', 'b']\nrun = 'run {pattern}'\nresults = 'gbench'\n");
  ASSERT_TRUE(fixed);
  EXPECT_TRUE(fixed->listings({})->empty());
  const auto units = fixed->read_listing({}, {});
  EXPECT_EQ(units->size(), 2u);
  const SuiteUnit odd{.name = "a.b"};
  const std::vector<const SuiteUnit*> asked = {&odd, &odd};
  EXPECT_EQ(fixed->invocation({}, asked, "")->argv, (Words{"run", "a\\.b|a\\.b"}));
  EXPECT_EQ(*command_of_rules(toml_plan("units = ['a']\nrun = 'x {units}'\nresults='gbench'\n")),
            (Words{"x"}));
  const std::string tail = "run = 'x {units}'\nresults = 'gbench'\nlist = 'l'\nlines_are = ";
  EXPECT_EQ(toml_adapter(tail + "'ids'")->read_listing({}, Words{"A/1"})->front(),
            (SuiteUnit{"A/1", {"A/1"}}));
  EXPECT_EQ(toml_adapter(tail + "'families'")->read_listing({}, Words{"A/1"})->front(),
            (SuiteUnit{"A", {"A/1"}}));
}

TEST(TomlAdapter, SaysWhatIsWrongWithAFile) {
  struct Case {
    const char* text;
    const char* what;  // part of it
  };
  const std::string good = "list = 'l'\nrun = 'r {units}'\nresults = 'gbench'\n";
  EXPECT_TRUE(parse_toml_rules(good, "s.toml"));
  for (const Case& c :
       {Case{"lst = 'l'", "s.toml:1:1: unknown key 'lst'"},
        {"list = 3", "list is a list of words, not a number"},
        {"list = [3]", "list has a number among its words"},
        {"list = ''", "list is empty"},
        {"list = 'a", "s.toml:1"},
        {"list = \"a 'b\"", "quote"},
        {"reorders = 'yes'", "reorders is true or false, not a string"},
        {"results = 'gbnch'", "did you mean 'gbench'?"},
        {"from = 'stdin'", "'stdin' is no value of from"},
        {"env = 1", "env is a table"},
        {"env = {A = \"x\\u0000\"}", "s.toml:1:12: A holds a zero byte"},
        {"env = {\"A=B\" = 'x'}", "'A=B' is no name of a variable"},
        {"env = {\"\" = 'x'}", "'' is no name of a variable"},
        {"list = \"a\\u0000\"", "list holds a zero byte"},
        {"run = ['r', \"a\\u0000b\"]", "s.toml:1:13: run holds a zero byte"},
        {"separator = \"\\u0000\"", "separator holds a zero byte"},
        {"line = 1", "line is a list of tables"},
        {"[[line]]\nunit = 'us'", "[[line]] has no pattern"},
        {"[[line]]\npattern = 'a'\nunit = 'h'", "'h' is no unit of time"},
        {"run = 'r {units}'\nresults = 'gbench'", "does not say which units there are"},
        {"list = 'l'\nresults = 'gbench'", "does not say how units are run"},
        {"list = 'l'\nrun = 'r'\nresults = 'gbench'", "run mentions neither"},
        {"list = 'l'\nunits = ['a']\nrun = 'r {units}'\nresults = 'gbench'", "both list and units"},
        {"list = 'l'\nrun = 'r {units}'", "does not say how results are read"},
        {"list = 'l'\nrun = 'r {units}'\nresults = 'gbench'\nfrom = 'file'",
         "run does not mention {results}"}}) {
    const auto rules = parse_toml_rules(c.text, "s.toml");
    ASSERT_FALSE(rules) << c.text;
    EXPECT_NE(rules.error().to_text().find(c.what), std::string::npos) << c.text << "\n"
                                                                       << rules.error().to_text();
  }
  for (const auto& [pattern, what] :
       {std::pair("(", "malformed"), std::pair("(?P<value>x)", "no group called id"),
        std::pair(R"((?P<id>\S+) (\S+) us)",
                  "s.toml:4:11: the pattern has no group called value")}) {
    const auto made = make_adapter(toml_plan(
        "list = 'l'\nrun = 'r {units}'\n[[line]]\npattern = '" + std::string(pattern) + "'\n"));
    ASSERT_FALSE(made);
    EXPECT_NE(made.error().to_text().find(what), std::string::npos) << made.error().to_text();
  }
}

TEST(TomlAdapter, UnknownAdaptersAreNamed) {
  const auto made = make_adapter({.adapter = "gbnch"});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().hint, "did you mean 'gbench'?");
}

}  // namespace
}  // namespace assay::suite
