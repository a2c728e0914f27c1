// SPDX-License-Identifier: Apache-2.0
#include "prover/cli/command.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "prover/cli/help.hpp"
#include "prover/cli/parse.hpp"

namespace prover::cli {
namespace {

TEST(Commands, AreFoundByTheirWords) {
  for (const Command& command : commands()) {
    std::vector<std::string> words;
    std::istringstream text{std::string(command.name)};
    for (std::string word; text >> word;) words.push_back(word);
    words.push_back("--help");
    const auto found = find_command(words);
    ASSERT_TRUE(found) << found.error().to_text();
    EXPECT_EQ(found->command, &command);
    EXPECT_EQ(found->words, words.size() - 1);
  }
}

TEST(Commands, ThatAreNoneAreSaidToBe) {
  const struct {
    std::vector<std::string> words;
    const char* text;
  } cases[] = {
      {{}, "a command is needed\n  'prover --help' lists what there is"},
      {{"circiut"}, "'circiut' is no command\n  did you mean 'circuit'?"},
      {{"circuit"},
       "circuit needs to know what: dense, poseidon, sha256, porep\n  'prover circuit dense "
       "--help' "
       "explains it"},
      {{"circuit", "posiedon"},
       "circuit: 'posiedon' is none of dense, poseidon, sha256, porep\n  did you mean 'poseidon'?"},
  };
  for (const auto& one : cases) {
    const auto found = find_command(one.words);
    ASSERT_FALSE(found) << one.text;
    EXPECT_EQ(found.error().to_text(), one.text);
    EXPECT_EQ(found.error().kind, ErrorKind::usage);
  }
}

TEST(Commands, HaveEverythingThatAnOptionNeeds) {
  std::set<std::string_view> names;
  for (const Command& command : commands()) {
    EXPECT_TRUE(names.insert(command.name).second) << command.name;
    EXPECT_FALSE(command.summary.empty() || command.summary.ends_with('.')) << command.name;
    EXPECT_NE(command.run, nullptr) << command.name;
    EXPECT_FALSE(command.examples.empty()) << command.name;
    std::set<std::string> options = {"help", "h"};
    for (const Option& option : command.options) {
      EXPECT_TRUE(options.insert(std::string(option.name)).second) << option.name;
      if (option.short_name != 0) {
        EXPECT_TRUE(options.insert(std::string(1, option.short_name)).second);
      }
      EXPECT_FALSE(option.help.empty() || option.help.ends_with('.')) << option.name;
      EXPECT_FALSE(option.value.empty() && !option.fallback.empty()) << option.name;
    }
    for (const Positional& positional : command.positionals)
      EXPECT_FALSE(positional.help.empty()) << positional.name;
  }
}

// The examples are what people copy.
TEST(Commands, ExamplesParse) {
  for (const Command& command : commands())
    for (const Example& example : command.examples) {
      if (example.command.find("<(") != std::string_view::npos) continue;
      std::istringstream text{std::string(example.command)};
      std::vector<std::string> words;
      for (std::string word; text >> word;) words.push_back(word);
      ASSERT_EQ(words.front(), "prover") << example.command;
      words.erase(words.begin());
      const auto found = find_command(words);
      ASSERT_TRUE(found) << example.command;
      EXPECT_EQ(found->command, &command) << example.command;
      const auto arguments = parse(command, std::span(words).subspan(found->words));
      EXPECT_TRUE(arguments) << example.command << ": " << arguments.error().to_text();
    }
}

TEST(Readme, NamesEveryCommandAndOption) {
  std::ifstream file(PROVER_README);
  const std::string readme(std::istreambuf_iterator<char>(file), {});
  for (const Command& command : commands()) {
    const std::string_view last = command.name.substr(command.name.find(' ') + 1);
    EXPECT_NE(readme.find(last), std::string::npos) << command.name;
    for (const Option& option : command.options)
      EXPECT_NE(readme.find(fmt::format("`--{}", option.name)), std::string::npos)
          << command.name << " --" << option.name;
  }
}

TEST(Help, ExplainsEveryOptionWithinTheColumns) {
  std::vector<std::string> texts = {overview(), group_help("circuit"), group_help("bench")};
  for (const Command& command : commands()) {
    EXPECT_NE(texts[0].find(fmt::format("  {} ", command.name)), std::string::npos) << command.name;
    texts.push_back(brief_help(command));
    texts.push_back(full_help(command));
    for (const Option& option : command.options)
      for (const std::string& text : {brief_help(command), full_help(command)})
        EXPECT_NE(text.find(fmt::format("--{} ", option.name)), std::string::npos) << option.name;
    for (const Example& example : command.examples) {
      EXPECT_NE(full_help(command).find(example.command), std::string::npos);
    }
    EXPECT_EQ(brief_help(command).find("examples"), std::string::npos);
  }
  for (const std::string& text : texts) {
    std::size_t begin = 0;
    for (std::size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
      EXPECT_LE(end - begin, 100u) << text.substr(begin, end - begin);
      EXPECT_FALSE(end > begin && text[end - 1] == ' ') << text.substr(begin, end - begin);
    }
    EXPECT_EQ(begin, text.size()) << "ends with a newline";
  }
}

}  // namespace
}  // namespace prover::cli
