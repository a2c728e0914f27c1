// SPDX-License-Identifier: Apache-2.0
#include "cli/parse.hpp"

#include <gtest/gtest.h>

namespace assay::cli {
namespace {

using Words = std::vector<std::string>;

const CommandSpec kSpec = {
    .name = "probe",
    .summary = "For the tests",
    .usage = {"probe [options] A B"},
    .details = {},
    .positionals = {{.name = "A", .at_least = 1, .at_most = 1}, {.name = "B", .at_most = 1}},
    .takes_trailing = true,
    .examples = {},
    .flags = {{.name = "timeout", .value = "TIME"},
              {.name = "output", .short_name = 'o', .value = "FILE"},
              {.name = "metric", .value = "NAME=SOURCE", .repeatable = true},
              {.name = "mode", .value = "MODE", .choices = {"fast", "exact"}},
              {.name = "strict"},
              {.name = "json", .value = "FILE", .or_stdout = true}}};

const CommandSpec kNoTrailing = {
    .name = "plain",
    .summary = "For the tests",
    .usage = {"plain SHELL"},
    .details = {},
    .positionals = {{.name = "SHELL", .at_least = 1, .at_most = 1, .choices = {"bash", "zsh"}}},
    .examples = {},
    .flags = {}};

Arguments parsed(const Words& words) {
  auto result = parse(kSpec, words);
  EXPECT_TRUE(result.has_value()) << result.error().to_text();
  return result ? *result : Arguments(kSpec);
}

TEST(Parse, OptionsStandAnywhereBeforeTheTrailingCommand) {
  const Arguments arguments =
      parsed({"--strict", "a", "--timeout", "5s", "b", "-o", "out", "--", "--timeout", "-h", "x"});
  EXPECT_TRUE(arguments.has("strict"));
  EXPECT_EQ(arguments.value("timeout"), "5s");
  EXPECT_EQ(arguments.value("output"), "out");
  EXPECT_EQ(arguments.positionals, (Words{"a", "b"}));
  EXPECT_EQ(arguments.trailing, (Words{"--timeout", "-h", "x"}));
  EXPECT_EQ(arguments.help, Help::none);
}

// What CLI11 would change or misread on its way: brackets, dashes, equals signs, emptiness.
TEST(Parse, ValuesArriveAsTheyWereWritten) {
  for (const std::string value : {"[a,b]", "-j2", "--strange", "", "a=b", "=", "{}", "\"q\"", "%%",
                                  "a b", "'", "\\n", "-", "/x", "#c", "[]", "true"}) {
    EXPECT_EQ(parsed({"a", "--output", value}).value("output"), value);
    EXPECT_EQ(parsed({"a", "--output=" + value}).value("output"), value);
    EXPECT_EQ(parsed({"a", "-o", value}).value("output"), value);
    EXPECT_EQ(parsed({"a", "--metric", value, "--metric", "x"}).values("metric"),
              (Words{value, "x"}));
  }
  EXPECT_EQ(parsed({"a", "-oout"}).value("output"), "out");
  EXPECT_EQ(parsed({"a", "-qo", "out"}).value("output"), "out");
  EXPECT_TRUE(parsed({"a", "-qo", "out"}).has("quiet"));
  EXPECT_EQ(parsed({"-"}).positionals, (Words{"-"}));
  EXPECT_EQ(parsed({""}).positionals, (Words{""}));
  EXPECT_EQ(parsed({"--metric", "x", "a", "b"}).positionals, (Words{"a", "b"}));
}

// --json alone is --json -; words that are no "-" stay what they are without it.
TEST(Parse, AValueThatMayBeLeftOut) {
  for (const Words& words : {Words{"--json", "a"}, Words{"a", "--json"}, Words{"--json", "-", "a"},
                             Words{"--json=-", "a"}, Words{"--json", "--strict", "a"}}) {
    EXPECT_EQ(parsed(words).value("json"), "-");
    EXPECT_EQ(parsed(words).positionals, (Words{"a"}));
  }
  EXPECT_EQ(parsed({"--json=out.json", "a"}).value("json"), "out.json");
  EXPECT_EQ(parsed({"-", "--json"}).positionals, (Words{"-"}));
  EXPECT_FALSE(parsed({"a"}).has("json"));
}

TEST(Parse, GlobalOptionsBelongToEveryCommand) {
  const Arguments arguments = parsed({"a", "-q", "--store", "s.db", "--color=never"});
  EXPECT_TRUE(arguments.has("quiet"));
  EXPECT_EQ(arguments.value("store"), "s.db");
  EXPECT_EQ(arguments.value("colour"), "never");
  EXPECT_TRUE(parsed({"--version"}).version);
}

TEST(Parse, HelpWinsOverEverythingElse) {
  EXPECT_EQ(parsed({"-h"}).help, Help::brief);
  EXPECT_EQ(parsed({"--nonsense", "--help"}).help, Help::full);
  EXPECT_EQ(parsed({"-h", "--help"}).help, Help::full);
  EXPECT_EQ(parsed({"a", "--output", "-h"}).help, Help::none);
}

TEST(Parse, SaysWhatIsWrong) {
  struct Case {
    Words words;
    std::string text;
  };
  const std::vector<Case> cases = {
      {{"a", "--tiemout", "5s"}, "probe has no option '--tiemout'\n  did you mean '--timeout'?"},
      {{"a", "--tiemout=5s"}, "probe has no option '--tiemout'\n  did you mean '--timeout'?"},
      {{"a", "--frobnicate"},
       "probe has no option '--frobnicate'\n  'assay probe -h' lists the options; one of the "
       "command's own stands inside its quotes: 'COMMAND --frobnicate'"},
      {{"ls", "-l"},
       "probe has no option '-l'\n  quote the command as one word, or put it behind --: "
       "assay probe "
       "-- COMMAND -l"},
      {{"a", "--timeout"}, "--timeout needs a value\n  write --timeout TIME"},
      {{"a", "--timeout", "--strict"}, "--timeout needs a value\n  write --timeout TIME"},
      {{"a", "--timeout", "--", "x"}, "--timeout needs a value\n  write --timeout TIME"},
      {{"a", "--output"}, "--output needs a value\n  write --output FILE"},
      {{"a", "-o"}, "--output needs a value\n  write --output FILE"},
      {{"a", "--strict=yes"}, "--strict takes no value"},
      {{"a", "--strict=false"}, "--strict takes no value"},
      {{"a", "--timeout", "1", "--timeout", "2"}, "--timeout is given 2 times\n  give it once"},
      {{"a", "--mode", "exakt"},
       "--mode: 'exakt' is not one of fast, exact\n  did you mean 'exact'?"},
      {{"a", "--mode", "z"}, "--mode: 'z' is not one of fast, exact\n  use fast, exact"},
      {{"a", "--color", "blue"},
       "--colour: 'blue' is not one of auto, always, never\n  use auto, always, never"},
      {{}, "probe needs A\n  usage: assay probe [options] A B"},
      {{"a", "b", "c"},
       "probe does not know what to do with 'c'\n  usage: assay probe [options] A B"},
      {{"a", "--bad\x1b[31m"},
       "probe has no option '--bad\\x1b[31m'\n  'assay probe -h' lists the options; one of the "
       "command's own stands inside its quotes: 'COMMAND --bad\\x1b[31m'"},
  };
  for (const Case& c : cases) {
    const auto result = parse(kSpec, c.words);
    ASSERT_FALSE(result.has_value()) << c.text;
    EXPECT_EQ(result.error().to_text(), c.text);
  }
}

TEST(Parse, ChecksPositionalChoicesAndTheTrailingCommand) {
  EXPECT_TRUE(parse(kNoTrailing, Words{"zsh"}).has_value());
  EXPECT_EQ(parse(kNoTrailing, Words{"zhs"}).error().to_text(),
            "plain: 'zhs' is not one of bash, zsh\n  did you mean 'zsh'?");
  EXPECT_EQ(parse(kNoTrailing, Words{"zsh", "--", "ls"}).error().to_text(),
            "plain takes no command behind --\n  usage: assay plain SHELL");
}

TEST(Parse, SwitchesMayBeRepeated) {
  EXPECT_TRUE(parsed({"a", "--strict", "--strict"}).has("strict"));
}

TEST(CountGlobalWords, StopsAtTheCommand) {
  EXPECT_EQ(count_global_words(Words{"list"}), 0u);
  EXPECT_EQ(count_global_words(Words{"--store", "x", "-q", "list", "--json"}), 3u);
  EXPECT_EQ(count_global_words(Words{"--store=x", "list"}), 1u);
  EXPECT_EQ(count_global_words(Words{"--store"}), 1u);
  EXPECT_EQ(count_global_words(Words{}), 0u);
}

}  // namespace
}  // namespace assay::cli
