// SPDX-License-Identifier: Apache-2.0
#include "cli/usage.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "base/text.hpp"
#include "cli/commands.hpp"
#include "suite/adapter.hpp"

namespace assay::cli {
namespace {

// All commands, and the verbs that have a help of their own.
std::vector<const CommandSpec*> all_helps() {
  std::vector<const CommandSpec*> helps(all_specs().begin(), all_specs().end());
  for (const std::string_view verb : {"run", "compare", "audit", "list"})
    helps.push_back(suite_verb_spec(verb));
  return helps;
}

TEST(BriefHelp, FitsAScreen) {
  for (const CommandSpec* spec : all_helps()) {
    const std::string text = brief_help(*spec);
    const auto lines = split_lines(text);
    EXPECT_LE(lines.size(), 24u) << text;
    for (const std::string_view line : lines) EXPECT_LE(display_width(line), 80u) << line;
    for (const Flag& flag : spec->flags)
      EXPECT_NE(text.find("--" + std::string(flag.name)), std::string::npos) << flag.name;
  }
}

TEST(FullHelp, ExplainsEveryOptionAndShowsExamples) {
  for (const CommandSpec* spec : all_helps()) {
    const std::string text = full_help(*spec);
    for (const Flag& flag : spec->flags)
      EXPECT_NE(text.find("--" + std::string(flag.name)), std::string::npos) << flag.name;
    for (const Example& example : spec->examples)
      EXPECT_NE(text.find(example.command), std::string::npos) << example.command;
    EXPECT_FALSE(spec->examples.empty()) << spec->name;
  }
}

// Of a verb: what it takes, what its statuses mean, and nothing of the others.
TEST(FullHelp, OfAVerbIsAboutThatVerb) {
  const std::vector<std::string> words = {"audit"};
  const CommandSpec& audit = spec_to_explain(suite_spec(), words);
  EXPECT_EQ(audit.name, "suite audit");
  const std::string text = full_help(audit);
  EXPECT_NE(text.find("--repeats"), std::string::npos);
  EXPECT_NE(text.find("Exit status:"), std::string::npos);
  EXPECT_NE(text.find("assay suite audit ./benchmarks"), std::string::npos);
  for (const suite::AdapterName& adapter : suite::adapter_names())
    EXPECT_NE(text.find(adapter.name), std::string::npos) << adapter.name;
  for (const char* foreign : {"--rounds", "--max-runs", "--tails", "suite compare", "audit: "})
    EXPECT_EQ(text.find(foreign), std::string::npos) << foreign;
  const std::vector<std::string> wrong = {"nonsense"};
  EXPECT_EQ(spec_to_explain(suite_spec(), wrong).name, "suite");
  EXPECT_EQ(spec_to_explain(import_spec(), words).name, "import");
}

TEST(Overview, FitsAScreenAndNamesEveryCommand) {
  const std::string text = overview(all_specs());
  const auto lines = split_lines(text);
  EXPECT_LE(lines.size(), 24u);
  for (const std::string_view line : lines) EXPECT_LE(display_width(line), 80u) << line;
  for (const CommandSpec* spec : all_specs())
    EXPECT_TRUE(text.find("\n  " + std::string(spec->name) + " ") != std::string::npos ||
                text.find(" " + std::string(spec->name), text.find("  also:")) != std::string::npos)
        << spec->name;
}

TEST(ReferencePage, IsTheOneInTheManual) {
  std::ifstream file(ASSAY_SOURCE_DIR "/docs/manual/reference.md");
  std::size_t number = 0;
  const std::string page = reference_page(all_specs());
  for (const std::string_view expected : split_lines(page)) {
    std::string line;
    ++number;
    ASSERT_TRUE(std::getline(file, line) && line == expected)
        << "line " << number << ": " << line << "\nshould be: " << expected
        << "\nmake it anew: assay help --markdown > docs/manual/reference.md";
  }
  EXPECT_EQ(file.peek(), std::ifstream::traits_type::eof()) << "lines behind the end";
}

}  // namespace
}  // namespace assay::cli
