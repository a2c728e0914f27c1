// SPDX-License-Identifier: Apache-2.0
// The option table itself: complete, consistent, and every option of every command parses.
#include <gtest/gtest.h>

#include <cctype>
#include <set>

#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/parse.hpp"

namespace assay::cli {
namespace {

// A command line of each command that uses every option it has.
const std::vector<std::string> kFullLines = {
    "compare --name t --env-a A=1 --env-b A=2 --cwd-a / --cwd-b / --baseline-rev main "
    "--candidate-rev HEAD "
    "--candidate-rev topic --build 'make -j2' --tolerance 1% --time-budget 40s --max-runs 60 "
    "--metric 'p99_ms=re:p99=(.*)' --metric n=json:/n --gate wall,p99_ms --tails --sessions 5 "
    "--control --imported "
    "--shell --input in --setup s --prepare p --conclude c --cleanup d --cooldown 1s --timeout 5s "
    "--ignore-exit --line-buffered --isolate --pin 0,2-3 --exact --no-wait --seed 7 --json - "
    "--events stdout --events-format timeline --rules r.toml --log d --html h "
    "--markdown m.md --strict --dry-run 'a -1' 'b -2' c",
    "measure --runs 50 --time-budget 1m --metric n=assay --name t --shell --input in --setup s "
    "--prepare p "
    "--conclude c --cleanup d --cooldown 1s --timeout 5s --ignore-exit --line-buffered --isolate "
    "--pin 1 "
    "--exact --no-wait --seed 7 --json j --markdown - --dry-run a",
    "explain --format timeline --rules r.toml --rules-b s.toml --json --curves --html o.html "
    "--top 5 --all --memory-budget 400GiB --seed 7 a.log a2.log -- b.log b2.log",
    "trade --setting pw --cost s --memory m --where t=a --by t --record abc --memory-budget 1GiB "
    "--json t.csv",
    "import --format gbench --name t --no-store --json r.json",
    "trace --format timeline --rules r.toml --to chrome --output o --suggest --show timeline "
    "--json check a.log",
    "diverge --key slot --value root --pattern 'x(?P<slot>y)' --where a=b --bare-hex --kind A=a,b "
    "--control A=c --context 3 --strict --json c.log",
    "sweep --param cap=1,2 --rounds 12 --memory-budget 1GiB --env A={cap} --rev HEAD --gate cpu "
    "--tolerance 1% --time-budget 1h --metric n=assay --build make --build-timeout 5m --name t "
    "--html h --dry-run --shell --input in --setup s --prepare p --conclude c --cleanup d "
    "--cooldown 1s --timeout 5s --ignore-exit --line-buffered --isolate --pin 1 --exact --no-wait "
    "--seed 7 --json j --markdown m --strict 'a {cap}'",
    "ablate --change a=A=1 --change b=-b --plan c.toml --anyway --adaptive --max-runs 90 --env A=1 "
    "--rev HEAD --gate cpu --tolerance 1% --time-budget 1h --metric n=assay --build make "
    "--build-timeout 5m --name t --html h --dry-run --shell --input in --setup s --prepare p "
    "--conclude c --cleanup d --cooldown 1s --timeout 5s --ignore-exit --line-buffered --isolate "
    "--pin 1 --exact --no-wait --seed 7 --json j --markdown m --strict -- a",
    "timeline --commits a,b --rounds 12 --gate cpu --tolerance 1% --time-budget 1h "
    "--metric n=assay --build make --build-timeout 5m --name t --html h --dry-run --shell --input "
    "in --setup s --prepare p --conclude c --cleanup d --cooldown 1s --timeout 5s --ignore-exit "
    "--line-buffered --isolate --pin 1 --exact --no-wait --seed 7 --json j --markdown m --strict "
    "v1..v2 -- a",
    "bisect --good v1 --bad main --expect +5% --likely src --likely lib --first-parent --gate cpu "
    "--tolerance 1% --time-budget 1h --metric n=assay --build make --build-timeout 5m --name t "
    "--html h --dry-run --shell --input in --setup s --prepare p --conclude c --cleanup d "
    "--cooldown 1s --timeout 5s --ignore-exit --line-buffered --isolate --pin 1 --exact --no-wait "
    "--seed 7 --json j --markdown m --strict -- a",
    "suite --rounds 3 --repeats 3 --random-orders 2 --search-limit 12 --baseline b "
    "--adapters --adapter gbench --only 'a*' --unit-by id --isolation suite "
    "--memory-budget 1GiB --time-budget 1h --name t --dry-run --input in --setup s --prepare p "
    "--conclude c --cleanup d --cooldown 1s --timeout 5s --ignore-exit --isolate --pin 1 --no-wait "
    "--seed 7 --json j --markdown m --strict --tolerance 2% --max-runs 60 --control c --tails "
    "--baseline-rev r --candidate-rev r --build b run ./b",
    "run --dry-run --json j plan.toml cap",
    "accept --reason r --commit c --list --json abc",
    "case --question q --gap 'x y' --metric cpu --hypothesis h --mechanism m --predict '1-2 ms' "
    "--test 'assay x' --price p --record abc --for h --removes --part p --note n --round r --json "
    "--names --markdown m.md --html h add slow",
    "calibrate --relink 'make again' --comparisons 6 --time-budget 1h --metric n=assay --shell "
    "--input in "
    "--setup s --prepare p --conclude c --cleanup d --cooldown 1s --timeout 5s --ignore-exit "
    "--line-buffered --isolate --pin 1 --exact --no-wait --seed 7 --json j --markdown m --dry-run "
    "a",
    "doctor --quick --json",
    "list --limit 5 --ids --json",
    "show --json --markdown --html h abc",
    "resume --html h --no-wait --json j --markdown m --strict abc",
    "rejudge --tolerance 5% --max-runs 60 --gate cpu --json j --markdown m --strict abc",
    "export --output f --redact abc",
    "rm abc def",
    "gc --older-than 30d --interrupted --keep-builds 1GiB --dry-run",
    "cache --limit 1GiB --older 30d --clear --dry-run --json",
    "simulate compare --noise ln1,drift --ratio 1,1.02 --path gates --reps 10 --tolerance 1% "
    "--seed 3 "
    "--threads 2 --only cpu --json",
    "judge --serve",
    "completion bash",
    "help --markdown suite audit",
    "version",
};

TEST(Specs, EveryOptionOfEveryCommandParses) {
  ASSERT_EQ(kFullLines.size(), all_specs().size());
  for (const std::string& line : kFullLines) {
    auto words = split_command(line).value();
    const CommandSpec* spec = find_spec(words.front());
    ASSERT_NE(spec, nullptr) << line;
    words.erase(words.begin());
    const auto arguments = parse(*spec, words);
    ASSERT_TRUE(arguments.has_value()) << line << "\n" << arguments.error().to_text();
    for (const Flag& flag : spec->flags)
      EXPECT_TRUE(arguments->has(flag.name)) << spec->name << " --" << flag.name << " is not tried";
  }
}

TEST(Specs, NamesAreUniqueAndGlobalOnesAreNotShadowed) {
  std::set<std::string_view> commands;
  for (const CommandSpec* spec : all_specs()) {
    EXPECT_TRUE(commands.insert(spec->name).second) << spec->name;
    std::set<std::string_view> names;
    std::set<char> shorts;
    const auto add = [&](const Flag& flag) {
      EXPECT_TRUE(names.insert(flag.name).second) << spec->name << " --" << flag.name;
      EXPECT_TRUE(flag.alias.empty() || names.insert(flag.alias).second) << flag.alias;
      EXPECT_TRUE(flag.short_name == 0 || shorts.insert(flag.short_name).second) << flag.name;
    };
    for (const Flag& flag : spec->flags) add(flag);
    for (const Flag& flag : global_flags()) add(flag);
  }
}

TEST(Specs, RowsAreComplete) {
  const auto check = [](const CommandSpec& spec, const Flag& flag) {
    EXPECT_FALSE(flag.help.empty()) << spec.name << " --" << flag.name;
    EXPECT_FALSE(flag.group.empty()) << spec.name << " --" << flag.name;
    EXPECT_FALSE(flag.help.ends_with('.')) << spec.name << " --" << flag.name;
    EXPECT_FALSE(flag.value.empty() && !flag.fallback.empty()) << spec.name << " --" << flag.name;
  };
  for (const CommandSpec* spec : all_specs()) {
    EXPECT_FALSE(spec->usage.empty()) << spec->name;
    EXPECT_TRUE(spec->usage.front().starts_with(spec->name)) << spec->name;
    EXPECT_FALSE(spec->summary.empty() || spec->summary.ends_with('.')) << spec->name;
    for (const Flag& flag : spec->flags) check(*spec, flag);
    for (const Flag& flag : global_flags()) check(*spec, flag);
  }
}

// The words that style.md keeps out of what users read.
TEST(Specs, TextsKeepToTheGlossary) {
  const auto check = [](std::string_view text) {
    for (const std::string_view word :
         {"score", "perf ", "improvement", "iteration", "speedup", "!"})
      EXPECT_EQ(text.find(word), std::string_view::npos) << text;
  };
  std::vector<const CommandSpec*> all(all_specs().begin(), all_specs().end());
  for (const std::string_view verb : {"run", "compare", "audit", "list"})
    all.push_back(suite_verb_spec(verb));
  for (const CommandSpec* spec : all) {
    check(spec->summary);
    check(spec->details);
    for (const Flag& flag : spec->flags) {
      check(flag.help);
      check(flag.details);
    }
  }
}

// The examples of --help parse as they stand.
TEST(Specs, ExamplesParse) {
  for (const CommandSpec* spec : all_specs()) {
    for (const Example& example : spec->examples) {
      std::string line(example.command);
      if (line.find("<(") != std::string::npos) continue;  // source <(assay completion bash)
      line = line.substr(0, line.find(" > "));
      line = line.substr(0, line.find(" < "));
      auto words = split_command(line).value();
      ASSERT_EQ(words.at(0), "assay") << line;
      ASSERT_EQ(words.at(1), spec->name) << line;
      words.erase(words.begin(), words.begin() + 2);
      const auto arguments = parse(*spec, words);
      EXPECT_TRUE(arguments.has_value()) << line << "\n" << arguments.error().to_text();
    }
  }
}

// Those of a verb's own help are command lines of the whole command.
TEST(Specs, ExamplesOfVerbsParse) {
  for (const std::string_view verb : {"run", "compare", "audit", "list"})
    for (const Example& example : suite_verb_spec(verb)->examples) {
      auto words = split_command(std::string(example.command)).value();
      ASSERT_GE(words.size(), 3U);
      EXPECT_EQ(words[1] + " " + words[2], suite_verb_spec(verb)->name);
      words.erase(words.begin(), words.begin() + 2);
      EXPECT_TRUE(parse(suite_spec(), words).has_value()) << example.command;
    }
}

TEST(UnknownCommand, NamesTheNearest) {
  EXPECT_EQ(unknown_command("comapre").to_text(),
            "'comapre' is not a command of assay\n  did you mean 'compare'?");
  EXPECT_EQ(unknown_command("./prog").to_text(),
            "'./prog' is not a command of assay\n  'assay help' lists the commands; to compare two "
            "programs: assay compare A B");
}

}  // namespace
}  // namespace assay::cli
